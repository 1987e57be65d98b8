/**
 * Links and signed-in browsers of all nodes. All times are the database's: nodes get durations only.
 *
 * @module
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { ask, change, type QueryEngine } from "../engine.js";
import { indexable } from "../row.js";
import type { SharedChanges } from "./changes.js";
import { databaseTime, type StoredBrowser, type StoredLink } from "./tables.js";

/** The topic of sign-outs in the table of changes; the key is the browser. */
const SIGN_OUT = "sign-out";
/** Maximum links and signed-in browsers of a user. Beyond it, the oldest are removed. */
const MAX_LINKS = 100;
const MAX_BROWSERS = 100;

/** The basis of a sign-in. */
interface Grounds {
  readonly user: string;
  readonly credential: string;
}

/** A one-time link. */
export interface SharedLink extends Grounds {
  readonly arrival: boolean;
  readonly fragment: string | undefined;
}

/** A signed-in browser. */
export interface SharedBrowser extends Grounds {
  /** Milliseconds until it must sign in again in any case. */
  readonly remaining: number;
  /** Milliseconds since its last stored use. */
  readonly unused: number;
}

/** The sign-ins of all nodes. */
export class StoredSignIns {
  readonly #engine: QueryEngine;
  readonly #changes: SharedChanges;
  readonly #key: string;

  /** @param key a key that all nodes share */
  constructor(engine: QueryEngine, changes: SharedChanges, key: string) {
    this.#engine = engine;
    this.#changes = changes;
    this.#key = key;
  }

  /** Whether sign-outs of other nodes arrive. */
  get isCurrent(): boolean {
    return this.#changes.isCurrent;
  }

  /**
   * A new value for a link or cookie: 256 random bits, and a proof that a node made it. Values without it cost no look
   * at the database.
   */
  mint(): string {
    const random = randomBytes(32).toString("base64url");
    return random + this.#proof(random);
  }

  /** Whether a node made this value. */
  isOurs(value: string): boolean {
    if (!/^[\w-]{65}$/.test(value)) return false;
    return timingSafeEqual(Buffer.from(value.slice(43)), Buffer.from(this.#proof(value.slice(0, 43))));
  }

  /** Stores a link by the hash of its code. */
  async addLink(id: string, link: SharedLink, lifetime: number): Promise<void> {
    const now = databaseTime(this.#engine.kind);
    const user = indexable(link.user);
    await change(this.#engine, (db) => [
      db.deleteFrom("vitrine_links").where("until", "<", now),
      db.insertInto("vitrine_links").values(({ eb }) => ({
        id,
        user,
        credential: link.credential,
        until: eb(now, "+", Math.round(lifetime)),
        arrival: link.arrival ? 1 : 0,
        fragment: link.fragment ?? null,
      })),
      db
        .deleteFrom("vitrine_links")
        .where("user", "=", user)
        .where(({ eb, selectFrom }) =>
          eb(
            "id",
            "not in",
            selectFrom("vitrine_links")
              .select("id")
              .where("user", "=", user)
              .orderBy("until", "desc")
              .orderBy("id")
              .limit(MAX_LINKS),
          ),
        ),
    ]);
  }

  /** A link that is still valid. */
  async link(id: string): Promise<SharedLink | undefined> {
    const row: StoredLink | undefined = await ask(this.#engine, (db) =>
      db
        .selectFrom("vitrine_links")
        .selectAll()
        .where("id", "=", id)
        .where("until", ">=", databaseTime(this.#engine.kind))
        .executeTakeFirst(),
    );
    if (!row) return undefined;
    const { user, credential, arrival, fragment } = row;
    return { user, credential, arrival: arrival === 1, fragment: fragment ?? undefined };
  }

  /** Uses a link up. Resolves to true for exactly one caller on all nodes. */
  async takeLink(id: string): Promise<boolean> {
    return (await change(this.#engine, (db) => db.deleteFrom("vitrine_links").where("id", "=", id))) === 1;
  }

  /** Stores a signed-in browser by the hash of its cookie, and removes expired ones. */
  async addBrowser(
    id: string,
    { user, credential }: Grounds,
    { lifetime, idle }: { lifetime: number; idle: number },
  ): Promise<void> {
    const now = databaseTime(this.#engine.kind);
    const owner = indexable(user);
    await change(this.#engine, (db) => [
      db
        .deleteFrom("vitrine_browsers")
        .where(({ eb, or }) =>
          or([eb("until", "<", now), eb("usedAt", "<", eb(now, "-", Math.round(idle)))]),
        ),
      db.insertInto("vitrine_browsers").values(({ eb }) => ({
        id,
        user: owner,
        credential,
        until: eb(now, "+", Math.round(lifetime)),
        usedAt: now,
      })),
    ]);
    await this.#endOldest(owner);
  }

  /** A browser that has not expired. */
  async browser(id: string, idle: number): Promise<SharedBrowser | undefined> {
    const now = databaseTime(this.#engine.kind);
    const row: (StoredBrowser & { now: number }) | undefined = await ask(this.#engine, (db) =>
      db
        .selectFrom("vitrine_browsers")
        .selectAll()
        .select(now.as("now"))
        .where("id", "=", id)
        .executeTakeFirst(),
    );
    if (!row) return undefined;
    const [remaining, unused] = [row.until - row.now, Math.max(0, row.now - row.usedAt)];
    if (!(remaining >= 0 && unused <= idle)) return undefined;
    return { user: row.user, credential: row.credential, remaining, unused };
  }

  /** Stores that a browser is used. */
  async used(id: string): Promise<void> {
    const now = databaseTime(this.#engine.kind);
    await change(this.#engine, (db) =>
      db.updateTable("vitrine_browsers").set({ usedAt: now }).where("id", "=", id).where("usedAt", "<", now),
    );
  }

  /** Signs a browser out on every node. */
  async end(id: string): Promise<void> {
    await change(this.#engine, (db) => [
      db.deleteFrom("vitrine_browsers").where("id", "=", id),
      this.#changes.record(db, SIGN_OUT, id),
    ]);
  }

  /** Adds a listener for browsers that were signed out on any node. */
  onEnded(listener: (id: string) => void): () => void {
    return this.#changes.on(SIGN_OUT, listener);
  }

  /** Adds a listener for gaps: sign-outs may have been missed. */
  onReset(listener: () => void): () => void {
    return this.#changes.onReset(listener);
  }

  async #endOldest(user: string): Promise<void> {
    const rows = await ask(this.#engine, (db) =>
      db
        .selectFrom("vitrine_browsers")
        .select("id")
        .where("user", "=", user)
        .orderBy("until", "desc")
        .orderBy("id")
        .offset(MAX_BROWSERS)
        .limit(MAX_BROWSERS)
        .execute(),
    );
    for (const { id } of rows) await this.end(id);
  }

  #proof(random: string): string {
    return createHmac("sha256", this.#key)
      .update(`sign-in ${random}`)
      .digest()
      .subarray(0, 16)
      .toString("base64url");
  }
}
