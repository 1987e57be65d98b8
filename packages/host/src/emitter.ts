import type { BridgeEvents } from "@vitrine/guard";
import { VitrineError } from "@vitrine/protocol";

type Listener = (event: unknown) => unknown;

/** Tells listeners what happens. */
export class Emitter {
  readonly #listeners = new Map<string, Set<Listener>>();

  /** Adds a listener, and returns what removes it. One that throws stops nobody else, and is reported (D19). */
  on<E extends keyof BridgeEvents>(event: E, listener: (event: BridgeEvents[E]) => unknown): () => void {
    let listeners = this.#listeners.get(event);
    if (!listeners) this.#listeners.set(event, (listeners = new Set()));
    // A function of its own: the same one may listen twice, and each leaves for itself.
    const own: Listener = (value) => listener(value as BridgeEvents[E]);
    listeners.add(own);
    return () => listeners.delete(own);
  }

  /** Whether anybody listens. */
  protected heard(event: keyof BridgeEvents): boolean {
    return !!this.#listeners.get(event)?.size;
  }

  protected emit<E extends keyof BridgeEvents>(event: E, value: BridgeEvents[E]): void {
    for (const listener of [...(this.#listeners.get(event) ?? [])]) {
      (async () => listener(value))().catch((cause) => {
        // There is nobody to report to when hearing a report fails.
        if (event !== "report") this.emit("report", new VitrineError("listener-failed", event, { cause }));
      });
    }
  }
}
