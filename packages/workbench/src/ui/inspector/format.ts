/**
 * Formats numbers.
 *
 * @module
 */

/** Time since the start of an app, such as `1.204 s`. */
export const moment = (ms: number): string =>
  ms < 60_000
    ? `${(ms / 1000).toFixed(3)} s`
    : `${Math.floor(ms / 60_000)}:${((Math.floor(ms / 100) / 10) % 60).toFixed(1).padStart(4, "0")} min`;

/** A duration. */
export const duration = (ms: number): string =>
  ms < 10 ? `${ms.toFixed(1)} ms` : ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`;

/** Characters of JSON, such as `1.2 k`. */
export const size = (characters: number): string =>
  characters < 1000
    ? `${characters}`
    : characters < 1_000_000
      ? `${(characters / 1000).toFixed(1)} k`
      : `${(characters / 1_000_000).toFixed(1)} M`;

/** A number with thousands separators. */
export const count = (value: number): string => value.toLocaleString("en");

/** Date and time. */
export const clock = (time: number): string => new Date(time).toLocaleString();
