import { VitrineError } from "@vitrine/protocol";

/** Requests that wait for their view to be ready. */
export class WaitingRequests {
  /** Sends each, or rejects it when there is an error. */
  readonly #waiting = new Map<unknown, (error?: VitrineError) => void>();

  /**
   * Waits until {@link go}, the end, or an abort.
   *
   * @param enqueue is given the key; what it throws rejects
   */
  add<T>(enqueue: (key: object) => void, send: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      const key = {};
      const settle = (error?: VitrineError): void => {
        this.#waiting.delete(key);
        signal?.removeEventListener("abort", abort);
        if (error) reject(error);
        else resolve(send());
      };
      const abort = (): void => settle(new VitrineError("aborted", "aborted", { cause: signal?.reason }));
      if (signal?.aborted) return abort();
      this.#waiting.set(key, settle);
      signal?.addEventListener("abort", abort);
      try {
        enqueue(key);
      } catch (error) {
        settle(error as VitrineError);
      }
    });
  }

  /** Sends one; nothing when it was aborted meanwhile. */
  go(key: unknown): void {
    this.#waiting.get(key)?.();
  }

  /** Rejects all. */
  drop(error: VitrineError): void {
    for (const settle of [...this.#waiting.values()]) settle(error);
  }
}
