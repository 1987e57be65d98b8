/**
 * Runs work with a timeout.
 *
 * @module
 */
import { VitrineError } from "@vitrine/protocol";
import { cancelledRequest } from "./question-queues.js";

/**
 * Runs work until it completes, is aborted, or exceeds the timeout, whether or not it observes its signal.
 *
 * @throws {VitrineError} `aborted` or `timeout`; or what the work threw
 */
export async function inTime<T>(
  signal: AbortSignal,
  milliseconds: number,
  late: string,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (signal.aborted) throw cancelledRequest();
  const controller = new AbortController();
  let end: (error: VitrineError) => void = () => {};
  const over = new Promise<never>((_, reject) => {
    end = (error) => {
      reject(error);
      controller.abort(error);
    };
  });
  const taken = (): void => end(cancelledRequest());
  signal.addEventListener("abort", taken, { once: true });
  const timer = setTimeout(
    () => end(new VitrineError("timeout", `${late} within ${milliseconds} ms`)),
    milliseconds,
  );
  const work = run(controller.signal);
  // The work may fail later, when nothing awaits it.
  work.catch(() => {});
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", taken);
  }
}
