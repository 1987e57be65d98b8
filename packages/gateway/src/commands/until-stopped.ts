/**
 * Waits until the gateway must stop.
 *
 * @module
 */
import type { Log } from "../http/logging.js";

/**
 * Resolves with the exit code when the gateway must stop. A signal stops it in order; so does an unexpected
 * error, with an exit code of its own.
 *
 * @param stopped for callers that handle signals themselves: stops the gateway instead
 */
export function untilStopped(log: Log, stopped?: AbortSignal): Promise<number> {
  return new Promise((resolve) => {
    const end = (): void => resolve(0);
    if (!stopped) for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end);
    else if (stopped.aborted) end();
    else stopped.addEventListener("abort", end, { once: true });
    for (const fault of ["uncaughtException", "unhandledRejection"] as const) {
      process.once(fault, (error: unknown) => {
        log.fatal({ err: error }, "unexpected error: the gateway stops");
        resolve(1);
      });
    }
  });
}
