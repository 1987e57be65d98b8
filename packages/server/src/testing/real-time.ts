/**
 * Time as it is, also in tests that have timers of their own making: what is here was taken before they could replace it.
 *
 * @module
 */
const { setTimeout, clearTimeout, setImmediate } = globalThis;
const clock = performance.now.bind(performance);

/** Milliseconds since some time. */
export const now = (): number => clock();

/** Does something in a while; call what it returns to leave it. */
export function after(milliseconds: number, work: () => void): () => void {
  const timer = setTimeout(work, milliseconds);
  return () => clearTimeout(timer);
}

/** Does something next, as messages between windows arrive: in their order, and never at once. */
export const next = (work: () => void): void => void setImmediate(work);

/** Lets everything happen that is due. */
export const turn = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 0));
