/** The order of the faults of a soak. */
import { FAULTS } from "./faults.ts";

/** The name of a fault. */
type FaultName = keyof typeof FAULTS;

/**
 * Every kind of fault once, whatever time that takes, and then again and again until time is over. Each round has an order of its
 * own, which depends on the seed alone.
 *
 * @param isTime whether another fault may begin after the first round
 */
export function* faultOrder(seed: number, isTime: () => boolean): Generator<FaultName> {
  const random = randomOf(seed);
  const names = Object.keys(FAULTS) as FaultName[];
  for (let round = 0; ; round++)
    for (const name of shuffled(names, random)) {
      if (round > 0 && !isTime()) return;
      yield name;
    }
}

/** Numbers from 0 to 1, the same ones for each seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
