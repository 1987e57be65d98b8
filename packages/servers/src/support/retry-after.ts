/**
 * Parses the `Retry-After` header.
 *
 * @module
 */

/** Seconds to wait if the server sends no value. */
const DEFAULT = 1;

/** Seconds to wait. `Retry-After` is a number of seconds or a date. */
export function secondsToWait(header: string | null, now: number): number {
  if (header === null) return DEFAULT;
  // `Date.parse` alone accepts almost anything as a date.
  const date = /GMT$/.test(header) ? Date.parse(header) : Number.NaN;
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (date - now) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : DEFAULT;
}
