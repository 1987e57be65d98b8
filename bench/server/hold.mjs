/** Loaded before a server: see `held.mjs`. */

/** Bytes of one object, with its number and its slot in the list. */
const EACH = 64;

globalThis.held = Array.from({ length: (process.env.BENCH_HELD * 1024) / EACH }, (_, at) => ({
  at,
  half: at + 0.5,
}));
