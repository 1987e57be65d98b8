/**
 * State of a view that survives remounts.
 *
 * @module
 */
import { type HostContext, INSTANCE_KEY } from "@vitrine/protocol";

/**
 * A value that outlives the document. It is kept in `sessionStorage` under the instance id that the host
 * sends. If storage is blocked, or the host sends no id, it lives as long as the document.
 *
 * @example
 * ```ts source="./view.examples.ts#state"
 * await app.connect();
 * const { open = "overview" } = app.state.get<{ open: string }>() ?? {};
 * tab(open);
 * addEventListener("hashchange", () => app.state.set({ open: location.hash.slice(1) }));
 * ```
 */
export class ViewState {
  readonly #context: () => HostContext | undefined;
  #text: string | undefined;

  constructor(context: () => HostContext | undefined) {
    this.#context = context;
  }

  /** Returns the last value set, before or after the remount. Call it after `connect`. */
  get<T>(): T | undefined {
    const text = this.#text ?? this.#store((storage, key) => storage.getItem(key));
    return text ? JSON.parse(text) : undefined;
  }

  /** Stores a value, which must be JSON. */
  set(value: unknown): void {
    this.#text = JSON.stringify(value) ?? "";
    this.settle();
  }

  /** Writes the value to storage. Called again after the handshake, when the instance id is known. */
  settle(): void {
    const text = this.#text;
    if (text !== undefined) this.#store((storage, key) => storage.setItem(key, text));
  }

  #store<T>(use: (storage: Storage, key: string) => T): T | undefined {
    const { toolInfo, [INSTANCE_KEY]: named = toolInfo?.id } = this.#context() ?? {};
    // Only string ids: numeric ones restart with every connection, so another call could have the same id.
    if (typeof named !== "string") return undefined;
    try {
      return use(sessionStorage, `vitrine:${named}`);
    } catch {
      return undefined;
    }
  }
}
