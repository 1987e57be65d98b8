import type { BridgeEvents } from "@vitrine/guard";
import { VitrineError } from "@vitrine/protocol";

type Listener = (event: unknown) => unknown;

/** An event emitter. */
export class Emitter {
  readonly #listeners = new Map<string, Set<Listener>>();

  /**
   * Adds a listener, and returns a function that removes it. An error in one does not affect others, and is
   * reported.
   */
  on<E extends keyof BridgeEvents>(event: E, listener: (event: BridgeEvents[E]) => unknown): () => void {
    let listeners = this.#listeners.get(event);
    if (!listeners) this.#listeners.set(event, (listeners = new Set()));
    // Wrapped, so that the same function can listen twice and each is removed separately.
    const own: Listener = (value) => listener(value as BridgeEvents[E]);
    listeners.add(own);
    return () => listeners.delete(own);
  }

  /** Whether there are listeners. */
  protected heard(event: keyof BridgeEvents): boolean {
    return !!this.#listeners.get(event)?.size;
  }

  protected emit<E extends keyof BridgeEvents>(event: E, value: BridgeEvents[E]): void {
    for (const listener of [...(this.#listeners.get(event) ?? [])]) {
      (async () => listener(value))().catch((cause) => {
        // An error in a report listener cannot be reported.
        if (event !== "report") this.emit("report", new VitrineError("listener-failed", event, { cause }));
      });
    }
  }
}
