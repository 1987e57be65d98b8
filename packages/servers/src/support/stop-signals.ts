/**
 * Signals that stop a gateway or reload its settings.
 *
 * @module
 */
import { closeSync, constants, openSync } from "node:fs";

/** Signals that stop the gateway. */
export type StopSignal = "SIGINT" | "SIGTERM" | "SIGQUIT" | "SIGHUP";

/** Reactions to signals. */
export interface SignalHandlers {
  /** The first signal: stop in order. */
  stop(signal: StopSignal): void;
  /** Another signal while stopping: end at once. */
  again(signal: StopSignal): void;
  /** SIGHUP that does not mean a closed terminal. Without it, every SIGHUP stops. */
  reload?: (() => void) | undefined;
}

/**
 * Milliseconds in which a repeated signal counts as the same: npm forwards the Ctrl-C that the terminal has
 * already sent.
 */
const SAME = 500;
/** Milliseconds until the system has certainly taken away the terminal that it reports as closed. */
const SETTLE = 50;
/** Milliseconds between checks whether the terminal is still there. */
const LOOK = 5000;

/**
 * Handles SIGINT, SIGTERM, SIGQUIT and SIGHUP. A SIGHUP means that the terminal was closed if the process had
 * one a moment ago, and has none now; otherwise an operator or a service manager asks for a reload. A closed
 * terminal never counts as the second signal, because shells repeat it.
 *
 * @returns a function that stops handling them
 */
export function onStopSignals({ stop, again, reload }: SignalHandlers): () => void {
  let stoppedAt: number | undefined;
  const stopOnce = (signal: StopSignal): void => {
    const isRepeated = stoppedAt !== undefined;
    const isForwarded =
      process.env["npm_lifecycle_event"] !== undefined && performance.now() - (stoppedAt ?? 0) < SAME;
    if (!isRepeated) {
      stoppedAt = performance.now();
      stop(signal);
    } else if (signal !== "SIGHUP" && !isForwarded) again(signal);
  };
  let hadTerminal = reload !== undefined && hasTerminal();
  // A shell that ends quietly leaves its programs without a terminal. They may be asked to reload later.
  const look = setInterval(() => {
    hadTerminal &&= hasTerminal();
  }, LOOK).unref();
  const judge = (had: boolean): void => {
    if (had && !hasTerminal()) stopOnce("SIGHUP");
    else if (stoppedAt === undefined) reload?.();
  };
  const hangUp = (): void => {
    if (reload) setTimeout(judge, SETTLE, hadTerminal);
    else stopOnce("SIGHUP");
  };
  const signals = ["SIGINT", "SIGTERM", "SIGQUIT"] as const;
  for (const signal of signals) process.on(signal, stopOnce);
  process.on("SIGHUP", hangUp);
  return () => {
    clearInterval(look);
    for (const signal of signals) process.off(signal, stopOnce);
    process.off("SIGHUP", hangUp);
  };
}

/** Whether the process has a controlling terminal: only then can the system report that it was closed. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync("/dev/tty", constants.O_RDONLY | constants.O_NOCTTY));
    return true;
  } catch {
    return false;
  }
}
