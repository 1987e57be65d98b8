/**
 * An app in a page: its frame, its bridge, and the messages that a user sees when something is wrong.
 *
 * @module
 */

import type { HostHandlers } from "@vitrine/guard";
import {
  type ContainerDimensions,
  type DisplayMode,
  type HostContext,
  VitrineError,
} from "@vitrine/protocol";
import { Bridge, type BridgeOptions } from "../bridge.js";
import type { ProxyReport } from "../proxy-transport.js";
import { frameWords } from "../words.js";
import { browserContext, onPageChange } from "./browser-context.js";
import { buildChrome, type Chrome, showFailure, showNotice } from "./chrome.js";
import { type FrameFailure, type FrameFailureCode, HELP } from "./failure.js";
import { type FocusGuard, guardFocus } from "./focus-guard.js";
import { frameListeners, frames } from "./frames.js";
import { type LoadFailureCause, whyNotLoaded } from "./load-failure.js";
import { showMode } from "./modes.js";
import { type Mount, mounts } from "./mount-queue.js";
import { oneLine } from "./one-line.js";
import { addAppBox, noteAppPress, openQuestions } from "./page-layout.js";
import { type FrameView, type ProxyFrame, placeFrame } from "./proxy-frame.js";
import { budget, mayLose, type Releasable } from "./release.js";
import { keepHeight, keptHeight, Sizing } from "./sizing.js";
import { noteUse, watch } from "./watch.js";

/**
 * `idle` → `loading` → `ready` ⇄ `unresponsive`, or `failed`; `closed` at the end. A `released` app is far from the
 * screen and does not run; it loads again when it is near.
 */
export type FrameState = "idle" | "loading" | "ready" | "unresponsive" | "released" | "failed" | "closed";

/** Options of an {@link AppFrame}. */
export interface AppFrameOptions extends BridgeOptions {
  /**
   * The view, as registered with the sandbox; a promise while its resource is being read. Awaited at each
   * mount.
   */
  view: FrameView | PromiseLike<FrameView>;
  /** The app's title: the frame's accessible name. */
  title: string;
  /** Text to show if the app cannot be shown: preferably that of the tool's result. */
  fallback?: (() => string) | undefined;
  /**
   * The available size. By default the app is as wide as its container and as high as its content, up to
   * 4,000 pixels. The app cannot change dimensions that are fixed by `height` or `width`.
   */
  dimensions?: ContainerDimensions | undefined;
  /** The display modes of this page; all three by default. */
  displayModes?: DisplayMode[] | undefined;
  /** Called on every state change. */
  onstate?: ((state: FrameState, failure?: FrameFailure) => void) | undefined;
  /** Called for policy violations and script errors. The details come from the view. */
  onreport?: ((report: ProxyReport) => void) | undefined;
}

/**
 * Milliseconds from evidence to failure: a sandbox page without a proxy, a document that loaded and cannot
 * start.
 */
const PATIENCE = 1500;
/** Milliseconds after which a sandbox page without a proxy is asked why. */
const DOUBT = 500;
/** Milliseconds after which a loading frame lets the next one start. */
const TURN = 3000;
/** Milliseconds for which the page says that it stood still. */
const NOTICE_TIME = 30_000;
/** Milliseconds that an app which comes back has to draw its result, after it has received it. */
const DRAWING = 400;
const MAX_HEIGHT = 4000;
const DEFAULT_HEIGHT = 150;

/** Whether the user was active in the page, or in one of its frames, within the last seconds. */
const isActive = (): boolean => navigator.userActivation?.isActive !== false;

/**
 * An app in a shadow root. It mounts the sandbox's proxy, opens the bridge, sizes the frame, shows a skeleton
 * before and a readable cause after, and releases everything at the end. The bridge outlives the frame: mounted
 * again, the app receives its messages again.
 *
 * @example
 * ```ts source="../frame.examples.ts#appFrame"
 * const frame = new AppFrame(place.attachShadow({ mode: "open" }), {
 *   info,
 *   view,
 *   upstream,
 *   guard: standardGuard(upstream, { ask: askInFrame }),
 *   title: "Weather",
 *   onstate: (state, failure) => place.setAttribute("data-state", failure?.code ?? state),
 * });
 * await frame.mount();
 * frame.bridge.sendToolInput({ city: "Rome" });
 * // Later: lets the app finish first.
 * await frame.close("the conversation was closed");
 * ```
 */
export class AppFrame {
  readonly bridge: Bridge;
  readonly #options: AppFrameOptions;
  readonly #chrome: Chrome;
  readonly #place: Element;
  #context: HostContext;
  #dimensions: ContainerDimensions & {
    height?: number;
    width?: number;
    maxHeight?: number;
    maxWidth?: number;
  };
  #state: FrameState = "idle";
  #view: FrameView | undefined;
  #frame: ProxyFrame | undefined;
  #focus: FocusGuard | undefined;
  #sizing = this.#size(DEFAULT_HEIGHT);
  /** The size that the app reported. */
  #reported: { height?: number; width?: number } = {};
  /** The script that the view's policy blocked, if any. */
  #blocked: string | undefined;
  readonly #mount: Mount = {
    // Evaluated on demand, for all waiting frames together: one layout instead of one each.
    isVisible: () => {
      const { width, top, bottom } = this.#place.getBoundingClientRect();
      return width > 0 && bottom >= 0 && top <= innerHeight;
    },
    start: () => this.#start(),
  };
  readonly #share: Releasable;
  /** When the user was last active in the app. */
  #usedAt: number | undefined;
  /** Whether it ran before it was released, and has not drawn since. */
  #isDrawing = false;
  /** The current mount: `view` may settle after an unmount, and after the next mount. */
  #attempt: symbol | undefined;
  /** Cleanup functions of the mounted app. */
  #ends: (() => void)[] = [];

  constructor(root: ShadowRoot, options: AppFrameOptions) {
    this.#options = options;
    this.#place = root.host;
    this.#context = options.context ?? {};
    this.#dimensions = options.dimensions ?? {};
    this.#chrome = buildChrome(root);
    const { handlers: own = {} } = options;
    const requestDisplayMode: HostHandlers["requestDisplayMode"] = async (params, context) => {
      // First, because the host's own handler may wait for a press in the page.
      const isUsed = params.mode === "inline" || (await this.#focus?.isUsed());
      const { mode } = (await own.requestDisplayMode?.(params, context)) ?? params;
      if (mode === "inline") this.#leave();
      // Over the page only if the user used this app last, and while the page shows no question.
      else if (isUsed && isActive() && openQuestions.size === 0 && this.#allows(mode))
        this.setDisplayMode(mode);
      return { mode: this.#mode };
    };
    const handlers = { ...own, requestDisplayMode };
    this.bridge = new Bridge({ ...options, handlers, context: this.#whole() });
    this.bridge.on("ready", () => {
      mounts.leave(this.#mount);
      // Only now the app has declared its modes.
      if (!this.#allows(this.#mode)) this.setDisplayMode("inline");
      this.#enter("ready");
    });
    this.bridge.on("failed", ({ message }) => this.#view?.static || this.#fail("handshake-timeout", message));
    this.bridge.on("size", (size) => this.#follow(size));
    // The model may call the tools of a released app.
    this.bridge.onwaiting = () => this.#state === "released" && void this.mount();
    this.#share = {
      place: this.#place,
      mayRelease: () => this.#mayRelease(),
      start: () => mounts.enter(this.#mount),
      release: () => this.#release(),
      restore: () => void this.mount(),
    };
    this.#draw();
  }

  get state(): FrameState {
    return this.#state;
  }

  /**
   * Loads the app when its turn comes: one that is far from the screen may be `released` until it is near. Does
   * nothing if it is already loaded.
   */
  async mount(): Promise<void> {
    if (!/idle|failed|released/.test(this.#state)) return;
    this.#enter("loading");
    this.#resize();
    this.#observe();
    const attempt = Symbol();
    this.#attempt = attempt;
    // While the resource is read, the frame may be unmounted and mounted again: only the last mount
    // continues.
    const isCurrent = (): boolean => this.#attempt === attempt && this.state === "loading";
    let view: FrameView;
    try {
      view = await this.#options.view;
    } catch (error) {
      if (isCurrent()) this.#fail("bad-resource", error instanceof Error ? error.message : `${error}`);
      return;
    }
    if (!isCurrent()) return;
    this.#view = view;
    const { src, prefersBorder } = view;
    this.#chrome.box.toggleAttribute("data-border", prefersBorder ?? false);
    this.#sizing = this.#size((this.#isDrawing ? this.#sizing.height : keptHeight(src)) ?? DEFAULT_HEIGHT);
    this.#ends.push(() => this.#sizing.stop());
    this.#resize();
    budget.enter(this.#share);
  }

  #start(): void {
    const view = this.#view;
    // It may already be closing.
    if (!view || this.#state !== "loading" || this.bridge.phase === "closed") {
      mounts.leave(this.#mount);
      return;
    }
    this.#blocked = undefined;
    const frame = placeFrame(view, this.#chrome.stage);
    this.#frame = frame;
    const { iframe, transport } = frame;
    iframe.title = oneLine(this.#options.title);
    transport.onreport = (report) => this.#hear(report);
    iframe.onload = () =>
      this.#later(DOUBT, () => {
        if (!transport.isReady) void this.#failToLoad(view, PATIENCE - DOUBT);
      });
    this.#later(TURN, () => mounts.leave(this.#mount));
    const focus = guardFocus(iframe, {
      onrepeated: () => this.#fail("took-focus"),
      onheld: (held) => transport.hold(held),
      ping: () => transport.tell("ping"),
      onfocus: () => transport.focus(),
    });
    this.#focus = focus;
    transport.onpress = (isTab, at) => {
      this.#usedAt = performance.now();
      if (isTab) return focus.tabbed(at);
      focus.pressed(at);
      noteUse(frame);
      noteAppPress(this.#chrome.box, at);
    };
    this.#ends.push(focus.stop);
    let before = this.state;
    this.#ends.push(
      watch(frame, {
        onpong: (isUsed) => {
          if (isUsed) this.#usedAt = performance.now();
          focus.sampled(isUsed);
        },
        onend: (...why) => this.#fail(...why),
        onsilence: (silent) => {
          if (silent) before = this.#state;
          // It may have become ready meanwhile.
          if (silent || this.#state === "unresponsive") this.#enter(silent ? "unresponsive" : before);
        },
        onstandstill: () => {
          this.#notice("froze");
          this.#later(NOTICE_TIME, () => this.#state === "ready" && this.#notice(""));
        },
      }),
    );
    // It may ask for its size before the layout is measured.
    this.#tell();
    this.bridge.open(transport);
    frame.begin?.();
  }

  #hear(report: ProxyReport): void {
    this.#options.onreport?.(report);
    const { code, by, directive, blocked, message } = report;
    // Only the proxy decides about the frame, not the view.
    if (code === "navigated-away") by || this.#fail(code);
    else if (code === "load-failed") by || (this.#view && void this.#failToLoad(this.#view, 0));
    else if (code === "escape") this.#leave();
    // Many apps only probe `eval` and work without it (zod does): it is a cause only if it was thrown.
    else if (code === "csp-violation" && /^script/.test(`${directive}`) && blocked !== "eval") {
      this.#blocked ??= `${directive} blocked ${blocked}`;
    } else if (code === "script-error" && /EvalError|unsafe-eval/.test(`${message}`)) {
      this.#blocked ??= `${message}`;
    } else if (code === "loaded" && this.#view?.static) {
      // It cannot report its height, so it scrolls.
      this.#follow({ height: 400 });
      this.#enter("ready");
    } else if (code === "loaded")
      this.#later(PATIENCE, () => {
        if (this.#state === "loading" && this.bridge.phase === "loading" && this.#blocked)
          this.#fail("csp-blocked", this.#blocked);
      });
  }

  /** Fails with the reason, which only the sandbox knows. */
  async #failToLoad(view: FrameView, delay: number): Promise<void> {
    const frame = this.#frame;
    const why = whyNotLoaded(view, this.#chrome.stage);
    await new Promise((resolve) => setTimeout(resolve, delay));
    const { cause, detail } = await why;
    // The proxy may have been slow.
    const isLate = delay > 0 && frame?.transport.isReady;
    if (frame === this.#frame && !isLate) this.#fail("load-failed", detail, cause);
  }

  #fail(code: FrameFailureCode, detail?: string, cause?: LoadFailureCause): void {
    if (this.#state === "closed" || this.#state === "failed") return;
    const failure = { code, message: frameWords().failures[code], detail, cause, help: HELP };
    this.#drawn();
    this.#remove();
    // Listeners first: they may provide the fallback text.
    this.#enter("failed", failure);
    showFailure(this.#chrome, failure, this.#options.fallback?.() ?? "", () => this.mount());
  }

  #enter(state: FrameState, failure?: FrameFailure): void {
    this.#state = state;
    const { box, failure: panel } = this.#chrome;
    box.dataset["state"] = state;
    if (state === "ready" && this.#isDrawing) void this.#awaitDrawing();
    panel.replaceChildren();
    this.#notice(state === "unresponsive" ? "silent" : "");
    this.#options.onstate?.(state, failure);
  }

  #notice(problem: "silent" | "froze" | ""): void {
    const { staticDocument, savedCopy } = frameWords();
    const view = this.#state === "ready" ? this.#view : undefined;
    const note = view?.static ? staticDocument : view?.saved ? savedCopy : "";
    showNotice(this.#chrome, problem, note, () => this.#fail("stopped"));
  }

  #mayRelease(): boolean {
    const { bridge } = this;
    const root = this.#chrome.box.getRootNode() as ShadowRoot;
    return (
      (this.#state === "ready" || !this.#frame) &&
      this.#mode === "inline" &&
      !this.#place.hasAttribute("keep") &&
      !bridge.isBusy &&
      !root.activeElement &&
      !mayLose(bridge.app, this.#usedAt)
    );
  }

  /** Stops the app, and keeps its place. The app gets time to store its state, and its last height. */
  async #release(): Promise<void> {
    await this.#suspend("far from the screen", "released");
    // The user may have enlarged it meanwhile.
    if (this.#state === "released" && this.#mode !== "inline") void this.mount();
  }

  /** Resolves to whether the app was stopped. */
  async #suspend(reason: string, state: FrameState): Promise<boolean> {
    const frame = this.#frame;
    if (frame) await this.bridge.suspend(reason);
    // It may have failed meanwhile, or was removed.
    if (frame !== this.#frame || !/ready|loading|unresponsive/.test(this.#state)) return false;
    this.#isDrawing ||= !!frame;
    this.#remove(true);
    this.#chrome.box.toggleAttribute("data-drawing", this.#isDrawing);
    // At once: requests that came meanwhile are sent next, and a released app loads for them.
    this.#enter(state);
    return true;
  }

  /**
   * Prepares for another call of the tool, in the same place: the app may store its state, and loads again. Send the
   * new input and result when this has resolved. The frame keeps its height until the app has drawn them, and its
   * display mode.
   *
   * @example
   * ```ts source="../frame.examples.ts#nextCall"
   * await frame.nextCall();
   * frame.bridge.sendToolInput({ city: "Oslo" });
   * frame.bridge.sendToolResult(result);
   * ```
   */
  async nextCall(): Promise<void> {
    const isStopped = await this.#suspend("another call", "idle");
    this.bridge.forget();
    // An app outside of the page, or far from the screen, shows the call later.
    if (isStopped || this.#state === "failed") void this.mount();
  }

  /** Shows an app that came back after some time, even if its height is another one now. */
  async #awaitDrawing(): Promise<void> {
    const frame = this.#frame;
    // On a slow device, the time starts when the app has received its messages.
    if (this.bridge.phase === "ready") await this.bridge.ping({ timeout: PATIENCE }).catch(() => {});
    if (frame === this.#frame) this.#later(DRAWING, () => this.#drawn());
  }

  /** Shows an app that came back, at its own height. */
  #drawn(): void {
    if (!this.#isDrawing) return;
    this.#isDrawing = false;
    this.#chrome.box.removeAttribute("data-drawing");
    this.#follow(this.#reported);
  }

  /** Removes the frame; the bridge stays, with its messages. A released app keeps its share of the budget. */
  #remove(isReleased = false): void {
    if (!isReleased) {
      budget.leave(this.#share);
      this.setDisplayMode("inline");
    }
    this.#usedAt = undefined;
    mounts.leave(this.#mount);
    for (const end of this.#ends.splice(0)) end();
    this.bridge.detach();
    this.#frame?.iframe.remove();
    this.#frame = undefined;
  }

  /** Removes the app from the page without a teardown; mounted again, it restarts. */
  unmount(): void {
    if (this.#state === "closed") return;
    this.#remove();
    this.#enter("idle");
  }

  /** Tears down the app within its time limit, and releases everything. */
  async close(reason?: string): Promise<void> {
    if (this.#state === "closed") return;
    await this.bridge.teardown(reason);
    // Concurrent calls may have closed it.
    if (this.state === "closed") return;
    this.#remove();
    this.#enter("closed");
    this.#chrome.box.remove();
  }

  /** Changes the app's context; the browser's part is added. */
  setContext(context: HostContext): void {
    this.#context = context;
    this.#tell();
  }

  /** Changes the available size, and tells the app. */
  setDimensions(dimensions: ContainerDimensions = {}): void {
    this.#dimensions = dimensions;
    this.#follow(this.#reported);
    this.#tell();
  }

  /**
   * Shows the app in another mode. `inline` is always possible.
   *
   * @throws {VitrineError} `unsupported` for a mode that this page does not have or the app does not declare
   */
  setDisplayMode(mode: DisplayMode): void {
    if (!this.#allows(mode))
      throw new VitrineError("unsupported", `${mode} is not a mode of both this page and the app`);
    showMode(this.#chrome, mode);
    if (mode !== "inline" && this.#state === "released") void this.mount();
    this.#resize();
    this.#tell();
  }

  /** The app asks to be shown inline. It stays in its mode while its question is open. */
  #leave(): void {
    if (!this.notices.querySelector("[part~=prompt]")) this.setDisplayMode("inline");
  }

  /** Where the page shows messages above the app: no app can draw there. */
  get notices(): HTMLElement {
    return this.#chrome.notices;
  }

  #draw(): void {
    const { server, title, box, close } = this.#chrome;
    const { title: name, upstream } = this.#options;
    // The server comes first, so that no title can push it out of sight.
    server.textContent = upstream?.server ?? "";
    title.textContent = oneLine(name);
    box.ariaLabel = oneLine(name);
    // For a dialog that is already closed, the browser does nothing.
    const back = (): void => this.setDisplayMode("inline");
    close.onclick = box.oncancel = back;
    // Returns nothing: `false` would block every other key for its button.
    box.onkeydown = ({ key }) => void (key === "Escape" && back());
  }

  /** Observers that live as long as the app. An unmounted frame holds none, so that it can be collected. */
  #observe(): void {
    const { instance } = this.bridge;
    frames.set(instance, this);
    for (const hear of frameListeners) hear();
    const sized = new ResizeObserver(() => this.#tell());
    sized.observe(this.#chrome.box);
    this.#ends.push(
      () => frames.delete(instance),
      () => sized.disconnect(),
      addAppBox(this.#chrome.box),
      onPageChange(() => this.#tell()),
    );
  }

  #follow(reported: { height?: number; width?: number }): void {
    const { maxHeight = MAX_HEIGHT } = this.#dimensions;
    this.#reported = reported;
    if (this.#isDrawing) {
      // Its first heights are those of an empty document.
      if (Math.ceil(reported.height ?? 0) === this.#sizing.height) this.#drawn();
      return;
    }
    this.#sizing.follow(reported.height, maxHeight);
    this.#resize();
  }

  #size(height: number): Sizing {
    return new Sizing(height, (next) => {
      if (this.#view) keepHeight(this.#view.src, next);
      this.#resize();
    });
  }

  #resize(): void {
    const {
      height = this.#sizing.height,
      maxWidth,
      width = maxWidth && this.#reported.width,
    } = this.#dimensions;
    // `undefined` becomes the empty string, which clears the CSS property.
    this.#chrome.stage.style.cssText =
      this.#mode === "fullscreen" ? "" : `height:${height}px;width:${width}px;max-width:${maxWidth}px`;
  }

  get #modes(): DisplayMode[] {
    return this.#options.displayModes ?? ["inline", "fullscreen", "pip"];
  }

  /** An app that declares no modes supports all of them. */
  #allows(mode: DisplayMode): boolean {
    const { availableDisplayModes: declared = [mode] } = this.bridge.app?.appCapabilities ?? {};
    return mode === "inline" || (this.#modes.includes(mode) && declared.includes(mode));
  }

  get #mode(): DisplayMode {
    return this.#chrome.box.dataset["mode"] as DisplayMode;
  }

  #whole(): HostContext {
    const { info } = this.#options;
    const displayMode = this.#mode;
    const { stage, box } = this.#chrome;
    const { clientWidth: width, clientHeight: height } = stage;
    const { maxWidth, height: fixed, maxHeight = MAX_HEIGHT } = this.#dimensions;
    // In a corner it grows up to the top of the window, minus the margin.
    const limit = (length: number): number =>
      displayMode === "pip" ? Math.min(length, height + box.offsetTop - 8) : length;
    // Each axis is fixed or bounded, never both.
    const containerDimensions: ContainerDimensions =
      displayMode === "fullscreen"
        ? { width, height }
        : {
            ...(maxWidth ? { maxWidth } : { width }),
            ...(fixed ? { height: limit(fixed) } : { maxHeight: limit(maxHeight) }),
          };
    return {
      ...browserContext(),
      userAgent: `${info.name}/${info.version}`,
      ...this.#context,
      displayMode,
      availableDisplayModes: this.#modes,
      containerDimensions,
    };
  }

  #tell(): void {
    this.bridge.setContext(this.#whole());
  }

  #later(delay: number, act: () => void): void {
    const timer = setTimeout(act, delay);
    this.#ends.push(() => clearTimeout(timer));
  }
}
