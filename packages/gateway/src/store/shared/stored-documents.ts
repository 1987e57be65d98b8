/**
 * Documents of the sandbox in the database of the nodes, so that any node serves the documents that another one
 * registered.
 *
 * @module
 */
import { createHmac } from "node:crypto";
import { MemoryRecords, type RecordStore } from "@vitrine/sandbox";
import { sql } from "kysely";
import { ask, change, type QueryEngine } from "../engine.js";
import { databaseTime } from "./tables.js";

/** Characters of documents in memory. */
const CACHED = 50_000_000;
/** Milliseconds after which a document that is used gets a new `usedAt`. */
const TOUCHED = 3_600_000;
/** Names whose time of use is remembered. */
const MAX_TOUCHED = 10_000;

/** Options of {@link StoredDocuments}. */
export interface StoredDocumentsOptions {
  /** A key that all nodes share. */
  readonly key: string;
  /** Called with errors of writes that nobody waits for, and when a stored document is damaged. */
  readonly onerror: (error: unknown) => void;
  /** Milliseconds after the last use before a document may be removed; a week by default. */
  readonly unused?: number | undefined;
  /** Maximum bytes of all documents; 1 GB by default. Beyond it, {@link StoredDocuments.prune} removes the least recently used. */
  readonly limit?: number | undefined;
  readonly now?: (() => number) | undefined;
}

/** The documents of all nodes. */
export class StoredDocuments implements RecordStore {
  readonly #engine: QueryEngine;
  readonly #options: StoredDocumentsOptions;
  readonly #cache = new MemoryRecords(CACHED);
  /** When this node last stored that a document is used. */
  readonly #touched = new Map<string, number>();
  readonly #now: () => number;

  constructor(engine: QueryEngine, options: StoredDocumentsOptions) {
    this.#engine = engine;
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  async get(name: string): Promise<string | undefined> {
    const cached = this.#cache.get(name);
    if (cached !== undefined) {
      this.#touch(name);
      return cached;
    }
    const row = await ask(this.#engine, (db) =>
      db
        .selectFrom("vitrine_documents")
        .select(["body", "proof"])
        .where("name", "=", name)
        .executeTakeFirst(),
    );
    if (!row) return undefined;
    const record = Buffer.from(row.body).toString("utf8");
    if (row.proof !== this.#proof(name, record)) {
      // The page is told that it is gone, and registers it again.
      this.#options.onerror(new Error(`the document ${name} in the database is damaged`));
      return undefined;
    }
    this.#cache.set(name, record);
    this.#touch(name);
    return record;
  }

  /** Stores a document. Names contain a hash of the content, so a known name needs no write. */
  async set(name: string, record: string): Promise<void> {
    if (this.#cache.get(name) === record && this.#isTouched(name)) return;
    const body = Buffer.from(record, "utf8");
    // As the nodes read it: UTF-8 has no lone surrogates.
    const proof = this.#proof(name, body.toString("utf8"));
    const usedAt = databaseTime(this.#engine.kind);
    await change(this.#engine, (db) =>
      db
        .insertInto("vitrine_documents")
        .values({ name, proof, size: body.length, usedAt, body })
        .onConflict((conflict) =>
          // Also replaces a damaged document.
          conflict.column("name").doUpdateSet({ proof, size: body.length, usedAt, body }),
        ),
    );
    this.#cache.set(name, record);
    this.#remember(name);
  }

  /** Drops a document from memory. In the database it stays, because a page of another node may show it. */
  delete(name: string): void {
    this.#cache.delete(name);
  }

  /** Removes documents that were not used for long, and the least recently used ones beyond the limit. Returns their number. */
  async prune(): Promise<number> {
    const { unused = 7 * 86_400_000, limit = 1_000_000_000 } = this.#options;
    const now = databaseTime(this.#engine.kind);
    // The newest documents up to the limit stay.
    return change(this.#engine, (db) => [
      db.deleteFrom("vitrine_documents").where(({ eb }) => eb("usedAt", "<", eb(now, "-", unused))),
      db.deleteFrom("vitrine_documents").where(({ eb, selectFrom }) =>
        eb(
          "name",
          "in",
          selectFrom((inner) =>
            inner
              .selectFrom("vitrine_documents")
              .select(["name", sql<number>`sum("size") over (order by "usedAt" desc, "name")`.as("total")])
              .as("sums"),
          )
            .select("sums.name")
            .where("sums.total", ">", limit),
        ),
      ),
    ]);
  }

  #touch(name: string): void {
    if (this.#isTouched(name)) return;
    this.#remember(name);
    const usedAt = databaseTime(this.#engine.kind);
    change(this.#engine, (db) => db.updateTable("vitrine_documents").set({ usedAt }).where("name", "=", name))
      // Removed by another node: the next registration must store it.
      .then((rows) => rows === 0 && this.#drop(name))
      .catch(this.#options.onerror);
  }

  #isTouched(name: string): boolean {
    const at = this.#touched.get(name);
    return at !== undefined && this.#now() - at < TOUCHED;
  }

  #remember(name: string): void {
    this.#touched.delete(name);
    this.#touched.set(name, this.#now());
    for (const oldest of this.#touched.keys()) {
      if (this.#touched.size <= MAX_TOUCHED) break;
      this.#touched.delete(oldest);
    }
  }

  #drop(name: string): void {
    this.#cache.delete(name);
    this.#touched.delete(name);
  }

  /** Nobody without the key can put a document under a name, which would give it the origin and policy of another app. */
  #proof(name: string, record: string): string {
    return createHmac("sha256", this.#options.key)
      .update(JSON.stringify(["document", name]))
      .update(record)
      .digest("hex");
  }
}
