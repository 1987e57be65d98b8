/**
 * The registered records, by name.
 *
 * @module
 */

/** Stores what the sandbox serves. Provide your own to share it between processes. */
export interface RecordStore {
  get(name: string): Promise<string | undefined> | string | undefined;
  set(name: string, record: string): Promise<void> | void;
  /** Without it, forgotten records stay until space is needed. */
  delete?(name: string): Promise<void> | void;
}

/**
 * Records in memory, up to a number of characters; the least recently used are dropped first. A dropped one
 * comes back under the same address when it is registered again.
 *
 * @example
 * ```ts source="./sandbox.examples.ts#memoryRecords"
 * const sandbox = new Sandbox({ ...options, records: new MemoryRecords(50_000_000) });
 * ```
 */
export class MemoryRecords implements RecordStore {
  readonly #records = new Map<string, string>();
  readonly #limit: number;
  #size = 0;

  constructor(limit = 200_000_000) {
    this.#limit = limit;
  }

  get(name: string): string | undefined {
    const record = this.#records.get(name);
    if (record !== undefined) this.#touch(name, record);
    return record;
  }

  set(name: string, record: string): void {
    this.#touch(name, record);
    for (const [oldest, { length }] of this.#records) {
      if (this.#size <= this.#limit || oldest === name) break;
      this.#records.delete(oldest);
      this.#size -= length;
    }
  }

  delete(name: string): void {
    this.#size -= this.#records.get(name)?.length ?? 0;
    this.#records.delete(name);
  }

  /** Makes it the newest: a map keeps the insertion order. */
  #touch(name: string, record: string): void {
    this.#size += record.length - (this.#records.get(name)?.length ?? 0);
    this.#records.delete(name);
    this.#records.set(name, record);
  }
}
