/**
 * Bounds the size of a map or set.
 *
 * @module
 */

/** Removes the oldest entries of a map or set beyond a number, and returns their keys. */
export function keepNewest<K>(map: Map<K, unknown> | Set<K>, count: number): K[] {
  const gone: K[] = [];
  for (const key of map.keys()) {
    if (map.size <= count) break;
    map.delete(key);
    gone.push(key);
  }
  return gone;
}
