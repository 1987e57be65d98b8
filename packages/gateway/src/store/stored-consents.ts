/**
 * Approvals in the database. They are cached in memory, because every call of a view needs one. Only the owner of a user writes
 * their answers; a node that becomes the owner calls `reload`.
 *
 * @module
 */
import { ASK_LEVEL_METHOD } from "@vitrine/wire";
import { ask, change, type DatabaseEngine } from "./engine.js";
import type { KnownServers } from "./known-servers.js";
import { indexable, sha256, storableText } from "./row.js";
import type { StoredConsent } from "./schema.js";
import type { ConsentRecord, ServerConsentKey, UserConsentStore } from "./store.js";

/** Maximum answers in memory. */
const REMEMBERED = 10_000;

export class StoredConsents implements UserConsentStore {
  readonly #engine: DatabaseEngine;
  readonly #servers: Pick<KnownServers, "isHeir" | "settled">;
  readonly #remembered = new Map<string, StoredConsent | undefined>();
  /** Counts changes: a value that was read before a change must not be cached after it. */
  #changes = 0;

  constructor(engine: DatabaseEngine, servers: Pick<KnownServers, "isHeir" | "settled">) {
    this.#engine = engine;
    this.#servers = servers;
  }

  async get(user: string, key: ServerConsentKey, now: number): Promise<ConsentRecord["answer"] | undefined> {
    const kept = (await this.#find(idOf(user, key))) ?? (await this.#inherited(user, key));
    if (kept?.fingerprint !== sha256(key.fingerprint)) return undefined;
    return kept.expiresAt !== null && kept.expiresAt <= now ? undefined : kept.answer;
  }

  async set(record: ConsentRecord): Promise<void> {
    const { user, server, identity, method, subject, actor, fingerprint, answer, grantedAt, expiresAt } =
      record;
    const { id, ...fields } = {
      id: idOf(user, record),
      user: indexable(user),
      server: storableText(server),
      identity: identity ?? null,
      method: storableText(method),
      subject: storableText(subject),
      actor: actor ?? null,
      fingerprint: sha256(fingerprint),
      answer,
      grantedAt: Math.round(grantedAt),
      expiresAt: expiresAt === undefined ? null : Math.round(expiresAt),
    };
    // This answer supersedes an inherited one.
    const old = (await this.#isHeir(record)) ? namedId(user, record) : undefined;
    this.#forget();
    await change(
      this.#engine,
      (db) => [
        ...(old === undefined ? [] : [db.deleteFrom("vitrine_consents").where("id", "=", old)]),
        db
          .insertInto("vitrine_consents")
          .values({ id, ...fields })
          .onConflict((conflict) => conflict.column("id").doUpdateSet(fields)),
      ],
      user,
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
    return rows.map(({ id: _, identity, actor, expiresAt, ...record }) => ({
      ...record,
      ...(identity !== null && { identity }),
      ...(actor !== null && { actor }),
      expiresAt: expiresAt ?? undefined,
    }));
  }

  async revoke(user: string, key: Partial<ServerConsentKey> & { server: string }): Promise<number> {
    const { server, identity, method, subject, actor, fingerprint } = key;
    const isHeir = identity !== undefined && (await this.#isHeir({ server, identity }));
    this.#forget();
    const revoked = await change(
      this.#engine,
      (db) => {
        let rows = db
          .deleteFrom("vitrine_consents")
          .where("user", "=", indexable(user))
          .where("server", "=", storableText(server));
        if (identity !== undefined)
          rows = rows.where(({ eb, or }) =>
            or([eb("identity", "=", identity), ...(isHeir ? [eb("identity", "is", null)] : [])]),
          );
        // A level only adds questions: revoking all approvals must not remove one.
        rows =
          method === undefined
            ? rows.where("method", "!=", ASK_LEVEL_METHOD)
            : rows.where("method", "=", storableText(method));
        if (subject !== undefined) rows = rows.where("subject", "=", storableText(subject));
        if (actor !== undefined) rows = rows.where("actor", "=", actor);
        // In the caller's form, or as `list` shows it.
        if (fingerprint !== undefined)
          rows = rows.where("fingerprint", "in", [fingerprint, sha256(fingerprint)]);
        return rows;
      },
      user,
    );
    this.#forget();
    return revoked;
  }

  /** Clears the cache: the database, or some users, may have had another owner in between. */
  reload(): void {
    this.#forget();
  }

  async #find(id: string): Promise<StoredConsent | undefined> {
    return this.#remembered.has(id) ? this.#remembered.get(id) : this.#read(id);
  }

  /** The answer for this name from before identities existed, if it belongs to this server. */
  async #inherited(user: string, key: ServerConsentKey): Promise<StoredConsent | undefined> {
    return (await this.#isHeir(key)) ? this.#find(namedId(user, key)) : undefined;
  }

  async #isHeir({ server: name, identity }: Pick<ServerConsentKey, "server" | "identity">): Promise<boolean> {
    if (identity === undefined) return false;
    await this.#servers.settled();
    return this.#servers.isHeir({ name, identity });
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

/** A unique id for any key. */
const idOf = (user: string, key: ServerConsentKey): string => {
  const { server, identity, method, subject } = key;
  if (identity === undefined) return namedId(user, key);
  return sha256(JSON.stringify([user, server, identity, method, subject, ...ofActor(key)]));
};

/** The id of an answer from before identities existed. */
const namedId = (user: string, key: ServerConsentKey): string =>
  sha256(JSON.stringify([user, key.server, key.method, key.subject, ...ofActor(key)]));

/** An object, so that it cannot be taken for one of the texts before it. */
const ofActor = ({ actor }: ServerConsentKey): object[] => (actor === undefined ? [] : [{ actor }]);
