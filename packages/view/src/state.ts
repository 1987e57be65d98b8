/**
 * What a view remembers of itself across remounts.
 *
 * @module
 */
import { type HostContext, INSTANCE_KEY } from "@vitrine/protocol";

/**
 * A value that outlives the document. It is kept in the session's storage under the view's instance, which
 * the host names; where storage is blocked, or the host names none, it lives as long as the document.
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

  /** The value that was set last, here or before the remount. Ask after `connect`. */
  get<T>(): T | undefined {
    const text = this.#text ?? this.#store((storage, key) => storage.getItem(key));
    return text ? JSON.parse(text) : undefined;
  }

  /** Keeps a value; it must be JSON. */
  set(value: unknown): void {
    this.#text = JSON.stringify(value) ?? "";
    this.settle();
  }

  /** Stores what was set; again after the handshake, when the instance is known. */
  settle(): void {
    const text = this.#text;
    if (text !== undefined) this.#store((storage, key) => storage.setItem(key, text));
  }

  #store<T>(use: (storage: Storage, key: string) => T): T | undefined {
    const { toolInfo, [INSTANCE_KEY]: named = toolInfo?.id } = this.#context() ?? {};
    // Numbers are counted anew on every connection: another call could have the same one.
    if (typeof named !== "string") return undefined;
    try {
      return use(sessionStorage, `vitrine:${named}`);
    } catch {
      return undefined;
    }
  }
}
