/**
 * How long a gateway runs.
 *
 * @module
 */
import type { Log } from "../http/logging.js";

/**
 * Resolves when a gateway is to stop, with the exit code. A signal ends it in order; so does a fault that nobody foresaw,
 * with a code that says so.
 *
 * @param stopped for whoever listens to signals itself: this ends it in their place
 */
export function untilStopped(log: Log, stopped?: AbortSignal): Promise<number> {
  return new Promise((resolve) => {
    const end = (): void => resolve(0);
    if (!stopped) for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end);
    else if (stopped.aborted) end();
    else stopped.addEventListener("abort", end, { once: true });
    for (const fault of ["uncaughtException", "unhandledRejection"] as const) {
      process.once(fault, (error: unknown) => {
        log.fatal({ err: error }, "a fault that nobody foresaw: the gateway stops");
        resolve(1);
      });
    }
  });
}
