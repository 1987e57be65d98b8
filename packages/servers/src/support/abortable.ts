/**
 * Waits for a promise until a signal aborts.
 *
 * @module
 */
import { VitrineError } from "@vitrine/protocol";

/**
 * Settles like the promise, unless the signal aborts first. The work behind the promise continues, for other
 * callers.
 */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const give = (): void =>
      reject(new VitrineError("aborted", "the request was aborted", { data: { unsent: true } }));
    if (signal.aborted) give();
    signal.addEventListener("abort", give, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", give));
  });
}
