/**
 * Waiting that can be given up.
 *
 * @module
 */
import { VitrineError } from "@vitrine/protocol";

/** What the promise comes to, unless the signal comes first. What goes on then, goes on for others. */
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
