/**
 * A map for the many objects of which most have no entries.
 *
 * @module
 */

/**
 * A map that takes memory only while it has entries. An empty `Map` takes more than 200 bytes, and each of thousands of idle pages
 * would have a dozen. To add entries while iterating, iterate over a copy.
 */
export class SmallMap<K, V> {
  #entries: Map<K, V> | undefined;

  get size(): number {
    return this.#entries?.size ?? 0;
  }

  get(key: K): V | undefined {
    return this.#entries?.get(key);
  }

  has(key: K): boolean {
    return this.#entries?.has(key) ?? false;
  }

  set(key: K, value: V): this {
    (this.#entries ??= new Map()).set(key, value);
    return this;
  }

  delete(key: K): boolean {
    const was = this.#entries?.delete(key) ?? false;
    if (this.#entries?.size === 0) this.#entries = undefined;
    return was;
  }

  clear(): void {
    this.#entries = undefined;
  }

  keys(): Iterable<K> {
    return this.#entries?.keys() ?? [];
  }

  values(): Iterable<V> {
    return this.#entries?.values() ?? [];
  }

  [Symbol.iterator](): Iterator<[K, V]> {
    return this.#entries?.[Symbol.iterator]() ?? ([] as [K, V][])[Symbol.iterator]();
  }
}
