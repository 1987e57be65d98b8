/**
 * `<mcp-app>`: an app as an element of the page.
 *
 * @module
 */
import type { Bridge } from "./bridge.js";
import type { Failure } from "./frame/failure.js";
import { AppFrame, type AppFrameOptions, type FrameState } from "./frame/frame.js";
import type { ProxyReport } from "./proxy-transport.js";

/** What the events of an {@link McpAppElement} carry. */
export interface McpAppEventMap {
  /** The app is in another state; `failure` says why it failed. */
  statechange: CustomEvent<{ state: FrameState; failure: Failure | undefined }>;
  /** The app's policy blocked something, or its scripts threw (S12). */
  report: CustomEvent<ProxyReport>;
}

/** An {@link McpAppElement} as its listeners know it. */
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

/** There are no elements in Node, where the rest of this package works too. */
const Base = (globalThis.HTMLElement ?? class {}) as new () => McpAppTarget;

/**
 * An app as an element. Give it its {@link app}, and put it into the page; `bridge` is how to speak to it. Taken out
 * of the page the app stops; put in again it begins anew and hears again what it was told. Call {@link close} to let
 * it finish first.
 *
 * The app's name is the accessible name of the frame. Parts for styling: `box`, `header`, `title`, `close`, `stage`,
 * `notices`, `notice`, `prompt`, `failure`, and `panel` for the last three.
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

  /** The app to show. Another one takes its place; `undefined` closes it. */
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
      },
      onreport: (report) => {
        app.onreport?.(report);
        this.#tell("report", report);
      },
    });
    if (this.isConnected) void this.#frame.mount();
  }

  /** How to speak to the app; undefined before it has one. */
  get bridge(): Bridge | undefined {
    return this.#frame?.bridge;
  }

  /** Where the app is. */
  get state(): FrameState {
    return this.#frame?.state ?? "idle";
  }

  /** The frame itself. */
  get frame(): AppFrame | undefined {
    return this.#frame;
  }

  /** Asks the app to finish, waits for it within its limit, and removes it (L08). The element stays. */
  async close(reason?: string): Promise<void> {
    const frame = this.#frame;
    this.#frame = this.#app = undefined;
    await frame?.close(reason);
  }

  connectedCallback(): void {
    void this.#frame?.mount();
  }

  /** Moved with `moveBefore`, the app goes on. */
  connectedMoveCallback(): void {}

  disconnectedCallback(): void {
    this.#frame?.unmount();
  }

  #tell(type: keyof McpAppEventMap, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

/**
 * Makes `<mcp-app>` known to the page. Importing `@vitrine/host/define` does the same.
 *
 * @example
 * ```ts source="./frame.examples.ts#defineMcpApp"
 * defineMcpApp("chat-app");
 * const app = document.createElement("chat-app");
 * ```
 */
export function defineMcpApp(name = "mcp-app"): void {
  if (!customElements.get(name)) customElements.define(name, McpAppElement);
}
