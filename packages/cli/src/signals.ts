/**
 * Ctrl-C: the first shuts down in order, the second immediately.
 *
 * @module
 */
import { CliError, EXIT } from "./exit.js";
import { whenNpmEnds } from "./npm-end.js";

const CODES = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated, SIGHUP: 129 } as const;
type Signal = keyof typeof CODES;

/**
 * Milliseconds in which a repeated signal counts as the same: npm forwards the Ctrl-C that the terminal has
 * already sent us.
 */
const SAME = 500;
/**
 * Runs work that can be interrupted. The signal's reason is a {@link CliError} with the exit code. Started
 * programs are in their own process groups and get no signals from this terminal; after an immediate exit,
 * the gateway's watchdog ends them.
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
    controller.abort(new CliError("interrupted", "interrupted before it was done", { exit }));
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
