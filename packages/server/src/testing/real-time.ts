/**
 * Real time, even in tests with fake timers: these functions are captured before a test can replace them.
 *
 * @module
 */
const { setTimeout, clearTimeout, setImmediate } = globalThis;
const clock = performance.now.bind(performance);

/** Milliseconds since an arbitrary start. */
export const now = (): number => clock();

/** Sets a timer; returns a function that clears it. */
export function after(milliseconds: number, work: () => void): () => void {
  const timer = setTimeout(work, milliseconds);
  return () => clearTimeout(timer);
}

/** Queues a task, like messages between windows: in order, never synchronously. */
export const next = (work: () => void): void => void setImmediate(work);

/** Lets all due tasks run. */
export const turn = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 0));
