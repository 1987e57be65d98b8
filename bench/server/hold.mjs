/** Loaded before a server: see `held.mjs`. */

/** Bytes of one, with its number and its place in the list. */
const EACH = 64;

globalThis.held = Array.from({ length: (process.env.BENCH_HELD * 1024) / EACH }, (_, at) => ({
  at,
  half: at + 0.5,
}));
