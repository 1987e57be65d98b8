/**
 * The settings of all nodes, as a document in the database.
 *
 * @module
 */
import { isRecord } from "@vitrine/protocol";
import { GatewayError } from "@vitrine/wire";
import { ask, change, type QueryEngine } from "../engine.js";
import type { SharedChanges } from "./changes.js";

/** In `vitrine_state`, and the topic in the table of changes. */
const NAME = "settings";
/** Attempts to publish while other nodes do. */
const ATTEMPTS = 20;

/** A version of the settings. */
export interface PublishedVersion {
  readonly version: number;
  /** The settings, in the format of the file. */
  readonly text: string;
}

/** The published settings: the newest version counts. */
export class PublishedSettings {
  readonly #engine: QueryEngine;
  readonly #changes: Pick<SharedChanges, "on" | "onReset" | "record">;

  constructor(engine: QueryEngine, changes: Pick<SharedChanges, "on" | "onReset" | "record">) {
    this.#engine = engine;
    this.#changes = changes;
  }

  /** @throws {GatewayError} `config-invalid` if the row is damaged */
  async read(): Promise<PublishedVersion | undefined> {
    return (await this.#read())?.published;
  }

  /** Publishes settings. Returns the version, also if it is the current one already. */
  async publish(text: string): Promise<number> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const before = await this.#read();
      if (before?.published.text === text) return before.published.version;
      const version = (before?.published.version ?? 0) + 1;
      if (await this.#write(before?.value, JSON.stringify({ version, text }))) return version;
    }
    throw new GatewayError("config-invalid", "other nodes publish settings all the time: try again");
  }

  /** Adds a listener for new versions of any node. It may be called without one. */
  onChange(listener: () => void): () => void {
    const stop = [this.#changes.on(NAME, listener), this.#changes.onReset(listener)];
    return () => {
      for (const each of stop) each();
    };
  }

  async #write(before: string | undefined, value: string): Promise<boolean> {
    const changed = await change(this.#engine, (db) => [
      before === undefined
        ? db
            .insertInto("vitrine_state")
            .values({ name: NAME, value })
            .onConflict((conflict) => conflict.column("name").doNothing())
        : db.updateTable("vitrine_state").set({ value }).where("name", "=", NAME).where("value", "=", before),
      // Nodes look at the settings once too often if another node was faster.
      this.#changes.record(db, NAME, ""),
    ]);
    return changed === 2;
  }

  async #read(): Promise<{ value: string; published: PublishedVersion } | undefined> {
    const row = await ask(this.#engine, (db) =>
      db.selectFrom("vitrine_state").select("value").where("name", "=", NAME).executeTakeFirst(),
    );
    if (!row) return undefined;
    try {
      const read: unknown = JSON.parse(row.value);
      if (isRecord(read)) {
        const { version, text } = read;
        if (typeof version === "number" && typeof text === "string")
          return { value: row.value, published: { version, text } };
      }
    } catch {
      // Reported below.
    }
    throw new GatewayError(
      "config-invalid",
      'the row "settings" of the table vitrine_state is damaged: delete it, and publish the settings again',
    );
  }
}
