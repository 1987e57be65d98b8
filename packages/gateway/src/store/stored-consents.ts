/**
 * What people agreed to. Answers are kept in memory, too: every call of a view asks for one, and nobody else writes.
 *
 * @module
 */
import type { ConsentKey } from "@vitrine/host";
import { ask, change, type Engine } from "./engine.js";
import { indexable, sha256, storableText } from "./row.js";
import type { StoredConsent } from "./schema.js";
import type { ConsentRecord, Consents } from "./store.js";

/** Answers in memory, at most. */
const REMEMBERED = 10_000;

export class StoredConsents implements Consents {
  readonly #engine: Engine;
  readonly #remembered = new Map<string, StoredConsent | undefined>();
  /** Counts what changed: what was read before a change must not be remembered after it. */
  #changes = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async get(user: string, key: ConsentKey, now: number): Promise<ConsentRecord["answer"] | undefined> {
    const id = idOf(user, key);
    const kept = this.#remembered.has(id) ? this.#remembered.get(id) : await this.#read(id);
    if (kept?.fingerprint !== sha256(key.fingerprint)) return undefined;
    return kept.expiresAt !== null && kept.expiresAt <= now ? undefined : kept.answer;
  }

  async set(record: ConsentRecord): Promise<void> {
    const { user, server, method, subject, fingerprint, answer, grantedAt, expiresAt } = record;
    const { id, ...fields } = {
      id: idOf(user, record),
      user: indexable(user),
      server: storableText(server),
      method: storableText(method),
      subject: storableText(subject),
      fingerprint: sha256(fingerprint),
      answer,
      grantedAt: Math.round(grantedAt),
      expiresAt: expiresAt === undefined ? null : Math.round(expiresAt),
    };
    this.#forget();
    await change(this.#engine, (db) =>
      db
        .insertInto("vitrine_consents")
        .values({ id, ...fields })
        .onConflict((conflict) => conflict.column("id").doUpdateSet(fields)),
    );
    this.#forget();
  }

  async list(user: string): Promise<ConsentRecord[]> {
    const rows = await ask(this.#engine, (db) =>
      db
        .selectFrom("vitrine_consents")
        .selectAll()
        .where("user", "=", indexable(user))
        .orderBy("grantedAt")
        .orderBy("id")
        .execute(),
    );
    return rows.map(({ id: _, expiresAt, ...record }) => ({ ...record, expiresAt: expiresAt ?? undefined }));
  }

  async revoke(user: string, key: Partial<ConsentKey> & { server: string }): Promise<number> {
    const { server, method, subject, fingerprint } = key;
    this.#forget();
    const revoked = await change(this.#engine, (db) => {
      let rows = db
        .deleteFrom("vitrine_consents")
        .where("user", "=", indexable(user))
        .where("server", "=", storableText(server));
      if (method !== undefined) rows = rows.where("method", "=", storableText(method));
      if (subject !== undefined) rows = rows.where("subject", "=", storableText(subject));
      // As a caller has it, or as `list` shows it.
      if (fingerprint !== undefined)
        rows = rows.where("fingerprint", "in", [fingerprint, sha256(fingerprint)]);
      return rows;
    });
    this.#forget();
    return revoked;
  }

  async #read(id: string): Promise<StoredConsent | undefined> {
    const before = this.#changes;
    const row = await ask(this.#engine, (db) =>
      db.selectFrom("vitrine_consents").selectAll().where("id", "=", id).executeTakeFirst(),
    );
    if (this.#remembered.size >= REMEMBERED) this.#remembered.clear();
    if (before === this.#changes) this.#remembered.set(id, row);
    return row;
  }

  #forget(): void {
    this.#changes++;
    this.#remembered.clear();
  }
}

/** Exact: no two keys have the same, whatever is in them. */
const idOf = (user: string, { server, method, subject }: ConsentKey): string =>
  sha256(JSON.stringify([user, server, method, subject]));
