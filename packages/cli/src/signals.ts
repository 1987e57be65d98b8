/**
 * Ctrl-C: the first asks everything to end in order, the second ends it at once.
 *
 * @module
 */
import { CliError, EXIT } from "./exit.js";

const CODES = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated, SIGHUP: 129 } as const;
type Signal = keyof typeof CODES;

/**
 * Does something that can be stopped. The signal's reason is a {@link CliError} with the code to end with. Programs that
 * were started are in groups of their own, and hear nothing of this terminal; who ends at once leaves them to the
 * gateway's watchdog, which ends them all.
 */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stop = (signal: Signal): void => {
    const exit = CODES[signal];
    if (controller.signal.aborted) process.exit(exit);
    controller.abort(new CliError("interrupted", "stopped before it was done", { exit }));
  };
  const signals = Object.keys(CODES) as Signal[];
  for (const signal of signals) process.on(signal, stop);
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of signals) process.off(signal, stop);
  }
}

/** Resolves when it is aborted. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
