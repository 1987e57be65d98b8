/**
 * Limits the rate of notifications.
 *
 * @module
 */
import type { Clock } from "@vitrine/servers/support";

/** Passes the first value on at once, then at most the latest value after each pause. */
export function paced<T>(clock: Clock, pause: number, notify: (value: T) => void): (value: T) => void {
  let isPausing = false;
  let last: { value: T } | undefined;
  const start = (value: T): void => {
    last = undefined;
    isPausing = true;
    clock.after(pause, () => {
      isPausing = false;
      if (last) start(last.value);
    });
    notify(value);
  };
  return (value) => {
    if (isPausing) last = { value };
    else start(value);
  };
}
