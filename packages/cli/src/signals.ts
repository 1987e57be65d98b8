/**
 * Ctrl-C: the first shuts down in order, the second immediately.
 *
 * @module
 */
import { onStopSignals, type StopSignal } from "@vitrine/servers/support";
import { CliError, EXIT } from "./exit.js";
import { whenNpmEnds } from "./npm-end.js";

const CODES: Record<StopSignal, number> = {
  SIGINT: EXIT.interrupted,
  SIGTERM: EXIT.terminated,
  SIGQUIT: 131,
  SIGHUP: 129,
};

/**
 * Runs work that can be interrupted. The signal's reason is a {@link CliError} with the exit code. Started
 * programs are in their own process groups and get no signals from this terminal; after an immediate exit,
 * the gateway's watchdog ends them.
 *
 * @param reload called for a SIGHUP that does not mean a closed terminal; without it, every SIGHUP interrupts
 */
export async function interruptible<T>(
  work: (signal: AbortSignal) => Promise<T>,
  reload?: () => void,
): Promise<T> {
  const controller = new AbortController();
  const stop = (signal: StopSignal): void =>
    controller.abort(new CliError("interrupted", "interrupted before it was done", { exit: CODES[signal] }));
  const forget = onStopSignals({ stop, again: (signal) => process.exit(CODES[signal]), reload });
  const unwatch = whenNpmEnds(() => controller.signal.aborted || stop("SIGHUP"));
  try {
    return await work(controller.signal);
  } finally {
    unwatch();
    forget();
  }
}

/**
 * Waits for work, and leaves no listener at the signal.
 *
 * @throws the signal's reason as soon as it is aborted; how the work ends is then ignored
 */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  work.catch(() => {});
  signal.throwIfAborted();
  let leave = (): void => {};
  const stopped = new Promise<never>((_resolve, reject) => {
    leave = () => reject(signal.reason);
    signal.addEventListener("abort", leave, { once: true });
  });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}
