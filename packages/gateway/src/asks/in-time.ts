/**
 * Work that must not take for ever.
 *
 * @module
 */
import { VitrineError } from "@vitrine/protocol";
import { takenBack } from "./turns.js";

/**
 * Does something that ends when it is taken back, and after so many milliseconds, whether or not it heeds its signal.
 *
 * @throws {VitrineError} `aborted` or `timeout`; or what the work threw
 */
export async function inTime<T>(
  signal: AbortSignal,
  milliseconds: number,
  late: string,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (signal.aborted) throw takenBack();
  const controller = new AbortController();
  let end: (error: VitrineError) => void = () => {};
  const over = new Promise<never>((_, reject) => {
    end = (error) => {
      reject(error);
      controller.abort(error);
    };
  });
  const taken = (): void => end(takenBack());
  signal.addEventListener("abort", taken, { once: true });
  const timer = setTimeout(
    () => end(new VitrineError("timeout", `${late} within ${milliseconds} ms`)),
    milliseconds,
  );
  const work = run(controller.signal);
  // It may fail after nobody waits for it any more.
  work.catch(() => {});
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", taken);
  }
}
