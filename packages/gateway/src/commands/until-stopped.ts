/**
 * Waits until the gateway must stop.
 *
 * @module
 */
import type { Log } from "../http/logging.js";

/**
 * Resolves with the exit code when the gateway must stop: 0 when `stopped` aborts, and 1 after an unexpected
 * error.
 */
export function untilStopped(log: Log, stopped: AbortSignal): Promise<number> {
  // A closed terminal: nobody reads the output any more, which is no reason to stop without order.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  return new Promise((resolve) => {
    const end = (): void => resolve(0);
    if (stopped.aborted) end();
    else stopped.addEventListener("abort", end, { once: true });
    for (const fault of ["uncaughtException", "unhandledRejection"] as const) {
      process.once(fault, (error: unknown) => {
        log.fatal({ err: error }, "unexpected error: the gateway stops");
        resolve(1);
      });
    }
  });
}
