import type { Transport } from "./transport.js";

/** Options of {@link WindowTransport}. */
export interface WindowTransportOptions {
  /** The window on the other side: `window.parent` in a view, `iframe.contentWindow` in a host. */
  target: Pick<Window, "postMessage">;
  /**
   * The other side's origin, or `"null"` for an opaque one (a sandboxed frame without `allow-same-origin`,
   * `srcdoc` in one). Only a view may pass undefined: its parent cannot change without destroying the view,
   * so the origin of the parent's first message is pinned.
   */
  origin: string | undefined;
}

/**
 * A transport over `postMessage`. It accepts messages only from one window *and* one origin, and posts only
 * to that origin: a frame that was navigated elsewhere can neither send nor receive. `*` is used only if the
 * platform has no other way to address a window: for an opaque origin, and for a view's first message to a
 * parent whose origin the browser does not reveal.
 *
 * @example
 * ```ts source="./protocol.examples.ts#windowTransport"
 * // In a host: one frame, on one origin.
 * const target = iframe.contentWindow;
 * if (!target) throw new Error("the frame is not in the document");
 * const toView = new WindowTransport({ target, origin: "https://app-1.sandbox.example" });
 * // In a view: the parent window.
 * const toHost = new WindowTransport({ target: window.parent, origin: location.ancestorOrigins?.[0] });
 * ```
 */
export class WindowTransport implements Transport {
  readonly #target: Pick<Window, "postMessage">;
  #origin: string | undefined;
  #listener: ((event: MessageEvent) => void) | undefined;

  constructor({ target, origin }: WindowTransportOptions) {
    this.#target = target;
    this.#origin = origin;
  }

  start(receive: (message: unknown) => void): void {
    this.#listener = (event) => {
      const { source, origin } = event;
      // Any window may post here. Messages of others are not read at all, because reading would deserialize
      // them.
      if (source === this.#target && origin === (this.#origin ??= origin)) receive(event.data);
    };
    addEventListener("message", this.#listener);
  }

  send(message: unknown): void {
    const origin = this.#origin ?? "null";
    this.#target.postMessage(message, origin === "null" ? "*" : origin);
  }

  close(): void {
    removeEventListener("message", this.#listener as () => void);
  }
}
