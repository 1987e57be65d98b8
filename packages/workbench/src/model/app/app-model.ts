/**
 * An app in the page: its state, its log, and its element.
 *
 * @module
 */

import type { AppDetails, HostHandlers } from "@vitrine/guard";
import {
  type Bridge,
  type FrameFailure,
  type FrameState,
  type McpAppElement,
  type ProxyReport,
  saveFiles,
} from "@vitrine/host";
import type { DisplayMode, HostContext, Implementation, Params, Tool } from "@vitrine/protocol";
import { VITRINE_VERSION } from "@vitrine/wire";
import { failureText } from "../diagnosis/diagnose.js";
import { contextOf, type Look, setDimensions } from "../diagnosis/look.js";
import { messageOf } from "../messages/messages.js";
import { Observable } from "../observable.js";
import { type Profile, STRICT } from "../profiles/profile.js";
import { AppLog } from "./app-log.js";
import type { AppSource, CallListener } from "./app-source.js";
import { AppToolList } from "./app-tool-list.js";
import { allowedModes } from "./offered-modes.js";

/** Milliseconds within which the browser reports a press inside an app to the page. */
const PRESS_DELAY = 250;

/** Host info for apps. */
export const INFO: Implementation = { name: "vitrine-workbench", version: VITRINE_VERSION };

/** The app's access to its conversation. */
export interface AppSurroundings {
  /** The app sends a message as the user. A rejection is the app's answer. */
  message?(app: AppModel, params: Params<"ui/message">): Promise<void> | undefined;
  /** The app updates the model's context. A rejection is the app's answer. */
  context?(app: AppModel, params: Params<"ui/update-model-context">): Promise<void> | undefined;
  /** The app's tools changed. Without this handler, the app is not asked for tools. */
  tools?(app: AppModel, tools: readonly Tool[]): Promise<void>;
  /** Whether there is a model that the app may use: the gateway asks the user first. */
  hasModel?(): boolean;
  /** The app asks to be removed. */
  teardown?(app: AppModel): void;
  /** Receives events of the call that the app shows. */
  call?: CallListener | undefined;
}

/** Options of an {@link AppModel}. */
export interface AppModelOptions {
  profile?: Profile | undefined;
  look?: Look | undefined;
  surroundings?: AppSurroundings | undefined;
}

/**
 * An app. It owns its element: put {@link element} into the page once and never move it, because a moved
 * frame reloads.
 */
export class AppModel extends Observable {
  readonly id: string;
  readonly source: AppSource;
  readonly profile: Profile;
  readonly log = new AppLog();
  /** The app's own description. */
  details: AppDetails | undefined;
  state: FrameState = "idle";
  failure: FrameFailure | undefined;
  /** The app's latest model context. */
  modelContext: Params<"ui/update-model-context"> | undefined;
  /** Its time, in milliseconds since the app was opened. */
  modelContextAt: number | undefined;
  /** Number of pending questions to the user. */
  questions = 0;
  /** The content size that the app reports. */
  size: { width?: number; height?: number } | undefined;
  readonly #surroundings: AppSurroundings;
  readonly #room = {};
  #look: Look;
  #element: McpAppElement | undefined;
  #toolList: AppToolList | undefined;
  /** The tools that were last published. */
  #offered: readonly Tool[] = [];
  #isOffering = false;
  #finished: Promise<void> | undefined;
  #settle = (): void => {};
  /** Resolves when the app is shown, or has failed. */
  readonly settled = new Promise<void>((resolve) => {
    this.#settle = resolve;
  });

  constructor(source: AppSource, { profile = STRICT, look = {}, surroundings = {} }: AppModelOptions = {}) {
    super();
    this.id = source.id;
    this.source = source;
    this.profile = profile;
    this.#look = look;
    this.#surroundings = surroundings;
  }

  get look(): Look {
    return this.#look;
  }

  get bridge(): Bridge | undefined {
    return this.#element?.bridge;
  }

  /** The app's element, created on first access. */
  get element(): McpAppElement {
    return (this.#element ??= this.#open());
  }

  /** Whether part of it is visible on the screen: browsers draw nothing else. */
  get isSeen(): boolean {
    if (!this.#element?.isConnected || document.visibilityState !== "visible") return false;
    const { top, bottom, left, right } = this.#element.getBoundingClientRect();
    return bottom > top && right > left && bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
  }

  /**
   * Whether this browser reports everything that an app draws. Chromium does. Firefox reports text and
   * pictures, but no colours. WebKit reports nothing of a frame with another origin.
   */
  get isPaintMeasured(): boolean {
    return performance.getEntriesByName("first-paint").length > 0;
  }

  /** The app's tools. The app is asked on first access, so that rendering sends no extra message. */
  get toolList(): AppToolList {
    return (this.#toolList ??= new AppToolList(bridgeOf(this.element)));
  }

  /** Changes the app's context immediately. */
  setLook(look: Look): void {
    const before = this.#look.displayMode;
    this.#look = look;
    setDimensions(this.#room, look, this.profile);
    const { frame } = this.element;
    if (look.width !== undefined) this.element.style.width = `${look.width}px`;
    else this.element.style.removeProperty("width");
    frame?.setContext(this.#context());
    // Only on a change: the user may have left the mode since.
    if (look.displayMode && look.displayMode !== before) this.showIn(look.displayMode);
    this.changed();
  }

  /** The display modes that it can use. */
  get modes(): DisplayMode[] {
    return allowedModes(this.profile, this.details?.appCapabilities.availableDisplayModes);
  }

  /** Switches the display mode. An unsupported mode only adds a line to its log. */
  showIn(mode: DisplayMode): void {
    if (this.modes.includes(mode)) this.element.frame?.setDisplayMode(mode);
    else this.log.line({ level: "warning", from: "host", text: this.modeProblem(mode) });
  }

  /** Why it is not shown in a mode outside of its {@link modes}. */
  modeProblem(mode: DisplayMode): string {
    return `${this.source.title} is not shown in ${mode}: the profile ${this.profile.id} and the app have ${this.modes.join(", ")} in common.`;
  }

  /** Counts a question to the user about this app, shown above it. */
  async asked(answer: Promise<unknown>): Promise<void> {
    this.questions++;
    this.changed();
    await answer.catch(() => {});
    this.questions--;
    this.changed();
  }

  /** Sends the model context again, to a gateway that has lost it. */
  sayAgain(): void {
    const { modelContext } = this;
    if (modelContext) this.#surroundings.context?.(this, modelContext)?.catch(this.#unsaid);
    this.#offered = [];
    this.#offer();
  }

  /** Tears down the app, removes it from the page, and notifies its owner. */
  async close(reason = "the user closed it"): Promise<void> {
    await this.finish(reason);
    this.#element?.remove();
    await this.source.close();
  }

  /** Tears down the app, once. Its empty element stays in the page. */
  finish(reason: string): Promise<void> {
    return (this.#finished ??= this.#element?.close(reason) ?? Promise.resolve());
  }

  /** Replaces another app that has finished; resolves when it is shown, or has failed. */
  async replace(other: AppModel): Promise<void> {
    if (!other.#element?.isConnected) return;
    other.#element.replaceWith(this.element);
    await this.settled;
  }

  /** Its host context. A recorded app gets its recorded context, which comes with its source. */
  #context(): HostContext {
    const { source, profile } = this;
    const isRecorded = source.document !== undefined;
    return {
      ...(!isRecorded && { styles: profile.styles }),
      ...source.frame.context,
      ...contextOf(this.#look, profile),
    };
  }

  #open(): McpAppElement {
    const element = document.createElement("mcp-app") as McpAppElement;
    this.#element = element;
    const { source, profile } = this;
    setDimensions(this.#room, this.#look, profile);
    this.log.step("opened", source.uri);
    // A recording is played to an app that runs.
    element.toggleAttribute("keep", source.isRecording === true);
    element.app = {
      ...source.frame,
      title: source.title,
      info: INFO,
      handlers: this.#handlers(),
      dimensions: this.#room,
      // The conversation shows the tool's whole answer; this only adds a solution.
      fallback: () => failureText(this),
      displayModes: [...profile.displayModes],
      context: this.#context(),
      onstate: (state, failure) => {
        this.state = state;
        this.failure = failure;
        if (state !== "loading") this.#settle();
        this.log.step(state, failure ? `${failure.code}: ${failure.detail ?? failure.message}` : undefined);
        this.changed();
      },
      onreport: (report) => this.#report(report),
    };
    const bridge = bridgeOf(element);
    this.#listen(bridge);
    source.tell(bridge, this.#surroundings.call ?? {});
    if (this.#look.width !== undefined) element.style.width = `${this.#look.width}px`;
    return element;
  }

  /** A font of the imitated host that is blocked here is not the app's fault. */
  #report(report: ProxyReport): void {
    const { directive, blocked } = report;
    const isFont = report.code === "csp-violation" && /^font-src/.test(`${directive}`);
    const origin = isFont ? originOf(`${blocked}`) : undefined;
    if (origin && this.profile.styles.css?.fonts?.includes(origin))
      this.log.line({
        level: "info",
        from: "host",
        text: `${this.profile.title} serves its fonts from ${origin}; here they are not loaded, and the next font of the list is shown.`,
      });
    else this.log.report(report);
  }

  #listen(bridge: Bridge): void {
    const { log } = this;
    bridge.on("traffic", (traffic) => {
      const isIn = traffic.direction === "in";
      const entry = log.add(traffic, isIn && this.#isUsed());
      // The browser reports a press from another process, so the app's message may arrive first.
      if (isIn && !entry.person) setTimeout(() => (entry.person = this.#isUsed()), PRESS_DELAY);
    });
    bridge.on("ready", (details) => {
      // For a review of the app with the browser's own tools.
      const { place, uri } = this.source;
      // biome-ignore lint/suspicious/noConsole: it is meant for the console.
      if (!this.details && place) console.info(`Policy of ${uri}: ${place.policy}`);
      const { displayMode } = this.#look;
      const isFirst = !this.details;
      this.details = details;
      if (isFirst && displayMode && displayMode !== "inline") this.showIn(displayMode);
      this.#offerTools();
      this.changed();
    });
    bridge.on("size", (size) => {
      this.size = size as { width?: number; height?: number };
      this.changed();
    });
    if (this.profile.abilities.logging)
      bridge.on("log", ({ level, logger, data }) =>
        log.line({
          level,
          from: "log",
          text: `${logger ? `${logger}: ` : ""}${typeof data === "string" ? data : JSON.stringify(data)}`,
          data,
        }),
      );
    bridge.on("report", (error) => log.line({ level: "warning", from: "host", text: error.message }));
    bridge.on("teardown-requested", () => this.#surroundings.teardown?.(this));
  }

  /** Asks an app that offers tools for its list; others get no extra message. */
  #offerTools(): void {
    if (this.#isOffering || !this.#surroundings.tools || !this.details?.appCapabilities.tools) return;
    this.#isOffering = true;
    this.toolList.subscribe(() => this.#offer());
  }

  #offer(): void {
    if (!this.#isOffering) return;
    // A closed or disconnected app offers none.
    const tools = this.#toolList?.tools ?? [];
    if (JSON.stringify(tools) === JSON.stringify(this.#offered)) return;
    this.#offered = tools;
    this.#surroundings.tools?.(this, tools).catch(this.#unsaid);
  }

  /** Logs the failure for the inspector. For a closed view, its state is gone anyway. */
  readonly #unsaid = (error: unknown): void => {
    const text = `The app's tools and context could not be sent to the model: ${messageOf(error)}`;
    if (!this.#finished) this.log.line({ level: "warning", from: "host", text });
  };

  /** Whether the user is interacting with the app: activity in a frame counts in the page above it. */
  #isUsed(): boolean {
    return (
      this.#element?.isConnected === true &&
      document.activeElement === this.#element &&
      navigator.userActivation?.isActive === true
    );
  }

  #handlers(): HostHandlers {
    const { abilities } = this.profile;
    const { message, context } = this.#surroundings;
    const { upstream } = this.source.frame;
    const handlers: HostHandlers = {};
    if (abilities.openLinks)
      handlers.openLink = ({ url }) => void window.open(url, "_blank", "noopener,noreferrer");
    if (abilities.downloadFile) handlers.downloadFile = saveFiles(upstream);
    if (abilities.message && message) handlers.message = (params) => message(this, params);
    if (abilities.updateModelContext)
      handlers.updateModelContext = (params) => {
        this.modelContext = params;
        this.modelContextAt = this.log.now;
        this.changed();
        return context?.(this, params);
      };
    // Capabilities follow from handlers; the gateway answers before this one.
    if (this.#surroundings.hasModel?.())
      handlers.createMessage = () => {
        throw new Error("the gateway asks the model");
      };
    return handlers;
  }
}

const originOf = (address: string): string | undefined =>
  URL.canParse(address) ? new URL(address).origin : undefined;

function bridgeOf({ bridge }: McpAppElement): Bridge {
  if (!bridge) throw new Error("an app without a bridge");
  return bridge;
}
