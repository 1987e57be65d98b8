/**
 * Legal holds: rows of the audit log and conversations that are neither removed nor deleted until the hold
 * ends. Every question about holds is answered by the database, so a hold that another process added counts
 * at once.
 *
 * @module
 */
import { randomUUID } from "node:crypto";
import { recordOf } from "@vitrine/protocol";
import { GatewayError } from "@vitrine/wire";
import { type Kysely, type RawBuilder, type SqlBool, sql } from "kysely";
import { nameOf } from "./conversation-rows.js";
import { ask, change, type QueryEngine, type Statement, wait } from "./engine.js";
import type { HoldScope, LegalHold, LegalHolds } from "./legal-holds.js";
import type { StoredHold } from "./retention-tables.js";
import { indexable, storableText } from "./row.js";
import type { EngineKind, Tables } from "./schema.js";
import { StoredLeases } from "./shared/stored-leases.js";
import type { AuditLog, StoredAuditRow } from "./store.js";

/** Marks that a hold was added. */
export const HOLD_MARK = "audit/hold";
/** Marks that a hold ended. */
export const HOLD_END_MARK = "audit/hold-end";

/** Rows that a statement reads. */
const PAGE = 100;

/** Milliseconds to wait while another node writes marks. */
const TURN = 2000;

const isUnrecorded = ({ recorded, endedAt }: StoredHold): boolean => recorded === 0 || endedAt !== null;

/** Legal holds in a database. */
export class StoredHolds implements LegalHolds {
  readonly #engine: QueryEngine;
  readonly #now: () => number;
  readonly #audit: Pick<AuditLog, "mark"> | undefined;
  #recording: Promise<void> = Promise.resolve();

  /** @param audit the log, if this process owns it; otherwise its owner records what changed here */
  constructor(engine: QueryEngine, now: () => number, audit?: Pick<AuditLog, "mark">) {
    this.#engine = engine;
    this.#now = now;
    this.#audit = audit;
  }

  async add({ user, server, from, to, reason }: HoldScope & { reason: string }): Promise<LegalHold> {
    if (user === undefined && server === undefined && from === undefined && to === undefined)
      throw invalid("a hold needs a user, a server, or a time");
    if (!reason.trim()) throw invalid("a hold needs a reason, which the audit log will show");
    if (from !== undefined && to !== undefined && from > to)
      throw invalid("a hold cannot end before it begins");
    const row: StoredHold = {
      id: randomUUID(),
      user: user === undefined ? null : storableText(user),
      server: server === undefined ? null : storableText(server),
      since: from === undefined ? null : Math.floor(from),
      until: to === undefined ? null : Math.ceil(to),
      reason: storableText(reason),
      heldAt: this.#now(),
      recorded: 0,
      endedAt: null,
    };
    await this.#change((db) => db.insertInto("vitrine_holds").values(row));
    await this.record();
    return shown(row);
  }

  async list(): Promise<LegalHold[]> {
    return (await this.#rows()).map(shown);
  }

  async end(id: string): Promise<boolean> {
    const endedAt = this.#now();
    const ended = await this.#change((db) =>
      db.updateTable("vitrine_holds").set({ endedAt }).where("id", "=", id).where("endedAt", "is", null),
    );
    await this.record();
    return ended > 0;
  }

  async *rows({ id }: { id?: string | undefined } = {}): AsyncGenerator<StoredAuditRow> {
    const holds = id === undefined ? undefined : (await this.list()).filter((each) => each.id === id);
    for (let after = -1; ; ) {
      const page = await ask(this.#engine, (db) => {
        const rows = db.selectFrom("vitrine_held").select(["seq", "line"]).where("seq", ">", after);
        return (holds ? rows.where(isHeldRow(holds)) : rows).orderBy("seq").limit(PAGE).execute();
      });
      for (const { line } of page) yield JSON.parse(line) as StoredAuditRow;
      after = page.at(-1)?.seq ?? after;
      if (page.length < PAGE) return;
    }
  }

  async *conversations(id: string): AsyncGenerator<object> {
    const holds = (await this.list()).filter((each) => each.id === id);
    for (let after = ""; ; ) {
      const row = await ask(this.#engine, (db) =>
        db
          .selectFrom("vitrine_conversations")
          .select(["id", "user", "startedAt", "changedAt", "json"])
          .where("id", ">", after)
          .where(isHeldConversation(holds, this.#engine.kind))
          .orderBy("id")
          .limit(1)
          .executeTakeFirst(),
      );
      if (!row) return;
      after = row.id;
      const items = await ask(this.#engine, (db) =>
        db
          .selectFrom("vitrine_conversation_items")
          .select("json")
          .where("conversation", "=", after)
          .orderBy("position")
          .execute(),
      );
      const { user, startedAt, changedAt, json } = row;
      yield {
        user,
        startedAt,
        changedAt,
        ...recordOf(JSON.parse(json)),
        items: items.map((item) => JSON.parse(item.json)),
      };
    }
  }

  record(): Promise<void> {
    // If the log cannot be written, holds stay in force, and the next call writes the marks.
    this.#recording = this.#recording.then(() => this.#record());
    const recorded = this.#recording;
    this.#recording = recorded.catch(() => {});
    return recorded;
  }

  /** Of several nodes, one at a time writes marks, so that each hold has one of each. */
  async #record(): Promise<void> {
    if (!this.#audit || !(await this.#rows()).some(isUnrecorded)) return;
    const lease = await this.#takeTurn();
    // The node whose turn it is writes them, or the next one does, within a minute.
    if (!lease) return;
    try {
      for (const row of await this.#rows()) await this.#recordOne(row, this.#audit);
    } finally {
      await lease.release();
    }
  }

  async #recordOne(row: StoredHold, audit: Pick<AuditLog, "mark">): Promise<void> {
    // Not in the columns `user` and `server`: users see the rows about themselves.
    const { isEnding: _, ...scope } = shown(row);
    const mark = { user: "the command line", reason: row.reason, params: JSON.stringify(scope) };
    if (row.recorded === 0) {
      await audit.mark({ ...mark, method: HOLD_MARK });
      await this.#change((db) =>
        db.updateTable("vitrine_holds").set({ recorded: 1 }).where("id", "=", row.id),
      );
    }
    if (row.endedAt !== null) {
      await audit.mark({ ...mark, method: HOLD_END_MARK });
      await this.#change((db) => db.deleteFrom("vitrine_holds").where("id", "=", row.id));
    }
  }

  async #takeTurn(): ReturnType<StoredLeases["take"]> {
    const leases = new StoredLeases(this.#engine);
    for (const endAt = performance.now() + TURN; ; ) {
      const lease = await leases.take("legal holds");
      if (lease || performance.now() > endAt) return lease;
      await wait(50);
    }
  }

  #rows(): Promise<StoredHold[]> {
    return ask(this.#engine, (db) =>
      db.selectFrom("vitrine_holds").selectAll().orderBy("heldAt").orderBy("id").execute(),
    );
  }

  #change(query: Parameters<typeof change>[1]): Promise<number> {
    return change(this.#engine, query);
  }
}

const invalid = (message: string): GatewayError => new GatewayError("config-invalid", message);

const shown = ({ id, user, server, since, until, reason, heldAt, endedAt }: StoredHold): LegalHold => ({
  id,
  ...(user !== null && { user }),
  ...(server !== null && { server }),
  ...(since !== null && { from: since }),
  ...(until !== null && { to: until }),
  reason,
  heldAt,
  isEnding: endedAt !== null,
});

/** The condition that every hold is one of these. */
export const isNoOther = (holds: readonly Pick<LegalHold, "id">[]): RawBuilder<SqlBool> => {
  const others = sql`select 1 from vitrine_holds`;
  if (holds.length === 0) return sql<SqlBool>`not exists (${others})`;
  const ids = sql.join(holds.map(({ id }) => sql`${id}`));
  return sql<SqlBool>`not exists (${others} where ${sql.ref("vitrine_holds.id")} not in (${ids}))`;
};

/**
 * Statements that come first in a transaction that removes data under the condition {@link isNoOther}: whoever adds a hold
 * waits for its end. SQLite has one writer at a time, so it needs none.
 */
export const againstNewHolds = (db: Kysely<Tables>, kind: EngineKind): Statement[] =>
  kind === "sqlite" ? [] : [{ compile: () => sql`lock table vitrine_holds in share mode`.compile(db) }];

/** The condition for rows of `vitrine_audit` and `vitrine_held` that a hold keeps. */
export const isHeldRow = (holds: readonly HoldScope[]): RawBuilder<SqlBool> =>
  anyOf(
    holds.map(({ user, server, from, to }) => [
      ...(user === undefined ? [] : [sql`${sql.ref("user")} = ${indexable(user)}`]),
      ...(server === undefined ? [] : [sql`${sql.ref("server")} = ${server}`]),
      ...(from === undefined ? [] : [sql`${sql.ref("time")} >= ${from}`]),
      ...(to === undefined ? [] : [sql`${sql.ref("time")} <= ${to}`]),
    ]),
  );

/**
 * The condition for rows of `vitrine_conversations` that a hold keeps: those of the user, those with anything
 * of the server, and those that existed during its time.
 */
export function isHeldConversation(holds: readonly HoldScope[], kind: EngineKind): RawBuilder<SqlBool> {
  const position = sql.raw(kind === "sqlite" ? "instr" : "strpos");
  return anyOf(
    holds.map(({ user, server, from, to }) => [
      ...(user === undefined ? [] : [sql`${sql.ref("user")} = ${nameOf(user)}`]),
      ...(from === undefined ? [] : [sql`${sql.ref("changedAt")} >= ${from}`]),
      ...(to === undefined ? [] : [sql`${sql.ref("startedAt")} <= ${to}`]),
      // Last, because it reads the entries. It may find arguments that look alike, and then holds more.
      ...(server === undefined
        ? []
        : [
            sql`exists (select 1 from vitrine_conversation_items as item
              where item.conversation = vitrine_conversations.id
              and ${position}(item.json, ${`"server":${JSON.stringify(server)}`}) > 0)`,
          ]),
    ]),
  );
}

const anyOf = (all: readonly (readonly RawBuilder<unknown>[])[]): RawBuilder<SqlBool> =>
  all.length === 0
    ? sql<SqlBool>`1 = 0`
    : sql<SqlBool>`(${sql.join(
        all.map((each) => sql`(${sql.join(each, sql` and `)})`),
        sql` or `,
      )})`;
