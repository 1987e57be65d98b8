/**
 * `<mcp-app>`: an app as an HTML element.
 *
 * @module
 */
import type { Bridge } from "./bridge.js";
import type { FrameFailure } from "./frame/failure.js";
import { AppFrame, type AppFrameOptions, type FrameState } from "./frame/frame.js";
import type { ProxyReport } from "./proxy-transport.js";

/** Events of an {@link McpAppElement}. */
export interface McpAppEventMap {
  /** The app's state changed; `failure` is the reason of a failure. */
  statechange: CustomEvent<{ state: FrameState; failure: FrameFailure | undefined }>;
  /** The app is far from the screen and was stopped, or has not started yet. */
  released: CustomEvent<undefined>;
  /** A released app runs again. */
  restored: CustomEvent<undefined>;
  /** A policy violation or script error of the app. */
  report: CustomEvent<ProxyReport>;
}

/** An {@link McpAppElement} for its listeners. */
interface McpAppTarget extends HTMLElement {
  addEventListener<E extends keyof McpAppEventMap>(
    type: E,
    listener: (event: McpAppEventMap[E]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void;
}

/** Node has no HTMLElement, but the rest of this package works there. */
const Base = (globalThis.HTMLElement ?? class {}) as new () => McpAppTarget;

/**
 * An app as an element. Set its {@link app}, and put it into the page; `bridge` communicates with it.
 * Removing it from the page stops the app; inserting it again restarts the app, which receives all its
 * messages again. Call {@link close} to let it finish first.
 *
 * In a page with many apps, those that are far from the screen are released, and load again when they come near. The
 * attribute `keep` keeps an app running.
 *
 * Elements inside of it with a `slot` replace the frame's own: `close` is the text or icon of the close button, `failure`
 * stands where the app could not be shown (`statechange` says why, and `frame.mount()` tries again).
 *
 * The app's title is the accessible name of the frame. Parts for styling: `box`, `header`, `title`, `close`,
 * `stage`, `gap`, `notices`, `notice`, `prompt`, `failure`, and `panel` for the last three.
 *
 * @example
 * ```ts source="./frame.examples.ts#element"
 * const app = document.createElement("mcp-app");
 * app.app = {
 *   info,
 *   view,
 *   upstream,
 *   guard: standardGuard(upstream, { ask: askInFrame }),
 *   title: "Weather",
 *   handlers: { openLink: ({ url }) => void open(url, "_blank", "noopener") },
 * };
 * app.addEventListener("statechange", ({ detail }) => {
 *   app.classList.toggle("failed", detail.state === "failed");
 * });
 * document.body.append(app);
 * app.bridge?.sendToolInput({ city: "Rome" });
 * app.bridge?.sendToolResult(result);
 * ```
 */
export class McpAppElement extends Base {
  #frame: AppFrame | undefined;
  #app: AppFrameOptions | undefined;
  #isReleased = false;

  /** The app to show. Another one replaces it; `undefined` closes it. */
  get app(): AppFrameOptions | undefined {
    return this.#app;
  }
  set app(app: AppFrameOptions | undefined) {
    if (app === this.#app) return;
    void this.close();
    this.#app = app;
    if (!app) return;
    this.#frame = new AppFrame(this.shadowRoot ?? this.attachShadow({ mode: "open" }), {
      ...app,
      onstate: (state, failure) => {
        app.onstate?.(state, failure);
        this.#tell("statechange", { state, failure });
        if (state === "released") this.#tell("released");
        else if (state === "ready" && this.#isReleased) this.#tell("restored");
        if (state !== "loading") this.#isReleased = state === "released";
      },
      onreport: (report) => {
        app.onreport?.(report);
        this.#tell("report", report);
      },
    });
    if (this.isConnected) void this.#frame.mount();
  }

  /** The app's bridge; undefined before there is one. */
  get bridge(): Bridge | undefined {
    return this.#frame?.bridge;
  }

  /** The app's state. */
  get state(): FrameState {
    return this.#frame?.state ?? "idle";
  }

  /** The frame itself. */
  get frame(): AppFrame | undefined {
    return this.#frame;
  }

  /** Tears down the app within its time limit, and removes it. The element stays. */
  async close(reason?: string): Promise<void> {
    const frame = this.#frame;
    this.#frame = this.#app = undefined;
    await frame?.close(reason);
  }

  connectedCallback(): void {
    void this.#frame?.mount();
  }

  /** With `moveBefore`, the app keeps running. */
  connectedMoveCallback(): void {}

  disconnectedCallback(): void {
    this.#frame?.unmount();
  }

  #tell(type: keyof McpAppEventMap, detail?: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

/**
 * Registers `<mcp-app>` in the page. Importing `@vitrine/host/define` does the same. Does nothing on a server, where
 * there are no elements.
 *
 * @example
 * ```ts source="./frame.examples.ts#defineMcpApp"
 * defineMcpApp("chat-app");
 * const app = document.createElement("chat-app");
 * ```
 */
export function defineMcpApp(name = "mcp-app"): void {
  if (globalThis.customElements?.get(name) === undefined)
    globalThis.customElements?.define(name, McpAppElement);
}
