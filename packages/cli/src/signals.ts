/**
 * Ctrl-C: the first asks everything to end in order, the second ends it at once.
 *
 * @module
 */
import { CliError, EXIT } from "./exit.js";
import { whenNpmEnds } from "./npm-end.js";

const CODES = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated, SIGHUP: 129 } as const;
type Signal = keyof typeof CODES;

/** Milliseconds in which a signal that comes again is the same: npm hands on the Ctrl-C that the terminal has sent us already. */
const SAME = 500;
/**
 * Does something that can be stopped. The signal's reason is a {@link CliError} with the code to end with. Programs that
 * were started are in groups of their own, and hear nothing of this terminal; who ends at once leaves them to the
 * gateway's watchdog, which ends them all.
 */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let stoppedAt = 0;
  const stop = (signal: Signal): void => {
    const exit = CODES[signal];
    const isSame = process.env["npm_lifecycle_event"] !== undefined && Date.now() - stoppedAt < SAME;
    if (controller.signal.aborted && isSame) return;
    if (controller.signal.aborted) process.exit(exit);
    stoppedAt = Date.now();
    controller.abort(new CliError("interrupted", "stopped before it was done", { exit }));
  };
  const signals = Object.keys(CODES) as Signal[];
  for (const signal of signals) process.on(signal, stop);
  const unwatch = whenNpmEnds(() => controller.signal.aborted || stop("SIGHUP"));
  try {
    return await work(controller.signal);
  } finally {
    unwatch();
    for (const signal of signals) process.off(signal, stop);
  }
}

/** Resolves when it is aborted. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
