/**
 * What is told again and again, not more often than anybody can read.
 *
 * @module
 */
import type { Clock } from "@vitrine/servers/support";

/** Tells the first value at once; of those that come within the pause after it the last one, when that is over; and so on. */
export function paced<T>(clock: Clock, pause: number, tell: (value: T) => void): (value: T) => void {
  let isPausing = false;
  let last: { value: T } | undefined;
  const begin = (value: T): void => {
    last = undefined;
    isPausing = true;
    clock.after(pause, () => {
      isPausing = false;
      if (last) begin(last.value);
    });
    tell(value);
  };
  return (value) => {
    if (isPausing) last = { value };
    else begin(value);
  };
}
