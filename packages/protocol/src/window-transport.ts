import type { Transport } from "./transport.js";

/** How to reach the window at the other end. */
export interface WindowTransportOptions {
  /** The window at the other end: `window.parent` in a view, `iframe.contentWindow` in a host. */
  target: Pick<Window, "postMessage">;
  /**
   * The other end's origin, or `"null"` for an opaque one (a sandboxed frame without `allow-same-origin`,
   * `srcdoc` in one). Only a view may pass undefined: its parent cannot change without destroying the view, so
   * the origin of the parent's first message is the one that is pinned.
   */
  origin: string | undefined;
}

/**
 * A transport over `postMessage`. It takes messages only from the one window *and* the one origin, and posts
 * to that origin alone: a frame that was navigated elsewhere neither hears nor is heard (S08, design
 * decision 4). `*` is used only where the platform has no other way to address a window: an opaque origin,
 * and a view's first message to a parent whose origin the browser does not tell.
 *
 * @example
 * ```ts source="./protocol.examples.ts#windowTransport"
 * // In a host: the one frame, on the one origin.
 * const target = iframe.contentWindow;
 * if (!target) throw new Error("the frame is not in the document");
 * const toView = new WindowTransport({ target, origin: "https://app-1.sandbox.example" });
 * // In a view: the parent, whoever it is.
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
      // Whoever reaches this window may post to it: what a stranger sent is not looked at, which would unpack it.
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
