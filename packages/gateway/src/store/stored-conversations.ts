/**
 * Conversations in the database. Operations on a conversation run one after the other: a write reads the
 * current state and then changes it, and nobody else writes.
 *
 * @module
 */

import type {
  ConversationQuery,
  ConversationUpdate,
  KeptConversations,
  KeptSummary,
  LoadedConversation,
} from "@vitrine/conversation";
import { ConversationError, type ConversationItem, checkLimit, GatewayError } from "@vitrine/wire";
import { listConversations } from "./conversation-list.js";
import {
  chunks,
  READ_AT_ONCE,
  readContexts,
  readConversation,
  readItems,
  readKnown,
} from "./conversation-reads.js";
import { expired, hide, isHeld, purge } from "./conversation-retention.js";
import { keyOf, type Named, nameOf, placeItems, storedItems, summaryOf } from "./conversation-rows.js";
import { searchable } from "./conversation-words.js";
import { change, type DatabaseEngine, type Statement } from "./engine.js";
import type { LegalHolds } from "./legal-holds.js";
import type { StoredConversation } from "./schema.js";

export class StoredConversations implements KeptConversations {
  readonly #engine: DatabaseEngine;
  readonly #holds: Pick<LegalHolds, "list">;
  readonly #now: () => number;
  readonly #isElsewhere: (user: string) => boolean;
  /** For each conversation with pending operations: resolves when the last of them is done. */
  readonly #turns = new Map<string, Promise<void>>();
  #isClosed = false;

  /** @param isElsewhere whether another node has the user, and knows which conversations are in use */
  constructor(
    engine: DatabaseEngine,
    holds: Pick<LegalHolds, "list">,
    now: () => number,
    isElsewhere: (user: string) => boolean = () => false,
  ) {
    this.#engine = engine;
    this.#holds = holds;
    this.#now = now;
    this.#isElsewhere = isElsewhere;
  }

  async create(
    user: string,
    { id, title, startedAt }: Pick<KeptSummary, "id" | "title" | "startedAt">,
  ): Promise<boolean> {
    checkLimit("title", title.length);
    const named: Named = { id, title, usage: { input: 0, output: 0 } };
    const row: StoredConversation = {
      id: keyOf(user, id),
      user: nameOf(user),
      startedAt: Math.round(startedAt),
      changedAt: Math.round(startedAt),
      items: 0,
      size: 0,
      last: 0,
      text: searchable(title),
      json: JSON.stringify(named),
    };
    return this.#inTurn(row.id, async () => {
      const made = await change(
        this.#engine,
        (db) =>
          db
            .insertInto("vitrine_conversations")
            .values(row)
            .onConflict((conflict) => conflict.column("id").doNothing()),
        user,
      );
      return made > 0;
    });
  }

  get(user: string, id: string): Promise<LoadedConversation | undefined> {
    const key = keyOf(user, id);
    return this.#inTurn(key, async () => {
      const row = await readConversation(this.#engine, key);
      if (!row) return undefined;
      const items: ConversationItem[] = [];
      for (let after = 0; after < row.last; ) {
        const page = await readItems(this.#engine, key, after);
        for (const { json } of page) items.push(JSON.parse(json) as ConversationItem);
        after = page.length < READ_AT_ONCE ? row.last : (page.at(-1)?.position ?? row.last);
        // Yield to other work.
        await new Promise(setImmediate);
      }
      const { usage, settings } = JSON.parse(row.json) as Named;
      const contexts = await readContexts(this.#engine, key);
      return { ...summaryOf(row), items, contexts, usage, ...(settings && { settings }) };
    });
  }

  list(user: string, query: ConversationQuery = {}): Promise<KeptSummary[]> {
    return listConversations(this.#engine, user, query, () => this.#checkOpen());
  }

  async put(user: string, id: string, update: ConversationUpdate): Promise<void> {
    const key = keyOf(user, id);
    const { title, usage, settings, changedAt } = update;
    if (title !== undefined) checkLimit("title", title.length);
    const removed = new Set(update.removed?.map((item) => keyOf(key, item)));
    const items = storedItems(key, update.items ?? []);
    const contexts = update.contexts && JSON.stringify(update.contexts);
    if (contexts !== undefined) checkLimit("contexts", Buffer.byteLength(contexts));
    const changed = {
      ...(title === undefined ? {} : { title }),
      ...(usage === undefined ? {} : { usage: { ...usage } }),
      // Without choices the JSON is the same as before there were any.
      ...(settings === undefined
        ? {}
        : { settings: Object.keys(settings).length > 0 ? { ...settings } : undefined }),
    };
    await this.#inTurn(key, async () => {
      const row = await readConversation(this.#engine, key);
      if (!row) throw unknown(id);
      const known = await readKnown(this.#engine, [...new Set([...removed, ...items.keys()])]);
      const next = placeItems(row, { items, removed, known });
      const named: Named = { ...(JSON.parse(row.json) as Named), ...changed };
      await change(
        this.#engine,
        (db) => [
          db
            .updateTable("vitrine_conversations")
            .set({
              ...next.counts,
              json: JSON.stringify(named),
              text: searchable(named.title),
              ...(changedAt === undefined ? {} : { changedAt: Math.round(changedAt) }),
            })
            .where("id", "=", key),
          ...chunks([...removed].filter((item) => known.has(item))).map((gone) =>
            db.deleteFrom("vitrine_conversation_items").where("id", "in", gone),
          ),
          ...chunks(next.rows).map(
            (rows): Statement =>
              db
                .insertInto("vitrine_conversation_items")
                .values(rows)
                .onConflict((conflict) =>
                  conflict.column("id").doUpdateSet(({ ref }) => ({
                    kind: ref("excluded.kind"),
                    size: ref("excluded.size"),
                    text: ref("excluded.text"),
                    json: ref("excluded.json"),
                  })),
                ),
          ),
          ...(contexts === undefined
            ? []
            : [
                db
                  .insertInto("vitrine_conversation_contexts")
                  .values({ conversation: key, json: contexts })
                  .onConflict((conflict) => conflict.column("conversation").doUpdateSet({ json: contexts })),
              ]),
        ],
        user,
      );
    });
  }

  rename(user: string, id: string, title: string): Promise<void> {
    return this.put(user, id, { title });
  }

  delete(user: string, id: string): Promise<boolean> {
    const key = keyOf(user, id);
    return this.#inTurn(key, async () => {
      if (!(await readConversation(this.#engine, key))) return false;
      const holds = await this.#holds.list();
      if (await isHeld(this.#engine, key, holds)) return hide(this.#engine, key, this.#now());
      const rows = await change(
        this.#engine,
        (db) => [
          db.deleteFrom("vitrine_conversations").where("id", "=", key),
          db.deleteFrom("vitrine_conversation_items").where("conversation", "=", key),
          db.deleteFrom("vitrine_conversation_contexts").where("conversation", "=", key),
        ],
        user,
      );
      return rows > 0;
    });
  }

  async prune(before: number | undefined, isInUse: (user: string, id: string) => boolean): Promise<string[]> {
    const users = new Set<string>();
    const holds = await this.#holds.list();
    for await (const { id: key, user, json } of expired(this.#engine, before, holds)) {
      if (this.#isElsewhere(user)) continue;
      const { id } = JSON.parse(json) as Named;
      await this.#inTurn(key, async () => {
        // Another operation may have opened or changed it meanwhile.
        if (!isInUse(user, id) && (await hide(this.#engine, key, this.#now(), before))) users.add(user);
      });
    }
    await purge(this.#engine, this.#holds, () => this.#checkOpen());
    return [...users];
  }

  /** Resolves when all operations are done; accepts no more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#turns.values());
  }

  async #inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    this.#checkOpen();
    const done = (this.#turns.get(key) ?? Promise.resolve()).then(work);
    const turn = done.then(
      () => {},
      () => {},
    );
    this.#turns.set(key, turn);
    try {
      return await done;
    } finally {
      if (this.#turns.get(key) === turn) this.#turns.delete(key);
    }
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new GatewayError("stopping", "the database is closed: restart the gateway");
  }
}

const unknown = (id: string): ConversationError =>
  new ConversationError(
    "conversation-unknown",
    `there is no conversation "${id.slice(0, 100)}": it was deleted, or belongs to another user`,
  );
