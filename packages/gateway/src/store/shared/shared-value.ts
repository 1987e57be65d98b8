/**
 * A small value that all nodes share, such as the selected model.
 *
 * @module
 */
import { ask, change, type QueryEngine } from "../engine.js";
import type { SharedChanges } from "./changes.js";

/** The topic of values in the table of changes; the key is the name. */
const VALUE = "value";

/** A value in `vitrine_state`. Other nodes notice a change within a second. */
export class SharedValue {
  readonly #engine: QueryEngine;
  readonly #changes: SharedChanges;
  readonly #name: string;

  constructor(engine: QueryEngine, changes: SharedChanges, name: string) {
    this.#engine = engine;
    this.#changes = changes;
    this.#name = name;
  }

  async get(): Promise<string | undefined> {
    const row = await ask(this.#engine, (db) =>
      db.selectFrom("vitrine_state").select("value").where("name", "=", this.#name).executeTakeFirst(),
    );
    return row?.value;
  }

  async set(value: string): Promise<void> {
    await change(this.#engine, (db) => [
      db
        .insertInto("vitrine_state")
        .values({ name: this.#name, value })
        .onConflict((conflict) => conflict.column("name").doUpdateSet({ value })),
      this.#changes.record(db, VALUE, this.#name),
    ]);
  }

  /** Adds a listener for changes of any node. It may be called without a change. */
  onChange(listener: () => void): () => void {
    const stop = [
      this.#changes.on(VALUE, (name) => {
        if (name === this.#name) listener();
      }),
      this.#changes.onReset(listener),
    ];
    return () => {
      for (const each of stop) each();
    };
  }
}
