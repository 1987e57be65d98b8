/**
 * One app in the page: what it is, what it does, and the element that shows it.
 *
 * @module
 */

import type { AppDetails, HostHandlers } from "@vitrine/guard";
import {
  type Bridge,
  type Failure,
  type FrameState,
  type McpAppElement,
  type ProxyReport,
  saveFiles,
} from "@vitrine/host";
import type { DisplayMode, HostContext, Implementation, Params, Tool } from "@vitrine/protocol";
import { VITRINE_VERSION } from "@vitrine/wire";
import { AppLog } from "./app-log.js";
import type { AppSource, CallListener } from "./app-source.js";
import { AppToolList } from "./app-tool-list.js";
import { failureText } from "./diagnose.js";
import { contextOf, type Look, setDimensions } from "./look.js";
import { messageOf } from "./messages.js";
import { Observable } from "./observable.js";
import { allowedModes } from "./offered-modes.js";
import { type Profile, STRICT } from "./profile.js";

/** Milliseconds in which the browser reports a press in an app to the page. */
const PRESS_DELAY = 250;

/** The host, to apps. */
export const INFO: Implementation = { name: "vitrine-workbench", version: VITRINE_VERSION };

/** What an app may do to the conversation that it is in. */
export interface AppSurroundings {
  /** The app says something, as the person would (I05). What it rejects with is the app's answer. */
  message?(app: AppModel, params: Params<"ui/message">): Promise<void> | undefined;
  /** The app says what the model should know (I06). What it rejects with is the app's answer. */
  context?(app: AppModel, params: Params<"ui/update-model-context">): Promise<void> | undefined;
  /** The app offers other tools than before (A01). Without it, it is not asked for them. */
  tools?(app: AppModel, tools: readonly Tool[]): Promise<void>;
  /** Whether there is a model that the app may ask (I11): the gateway does, and asks the person first. */
  hasModel?(): boolean;
  /** The app wants to be gone (L09). */
  teardown?(app: AppModel): void;
  /** Hears of the call that the app shows. */
  call?: CallListener | undefined;
}

/** Options of an {@link AppModel}. */
export interface AppModelOptions {
  profile?: Profile | undefined;
  look?: Look | undefined;
  surroundings?: AppSurroundings | undefined;
}

/**
 * One app. It owns its element: put {@link element} into the page, at one place, and leave it there, as a frame that is moved
 * begins anew.
 */
export class AppModel extends Observable {
  readonly id: string;
  readonly source: AppSource;
  readonly profile: Profile;
  readonly log = new AppLog();
  /** What the app said of itself. */
  details: AppDetails | undefined;
  state: FrameState = "idle";
  failure: Failure | undefined;
  /** What the model would be told (I06): the last one counts. */
  modelContext: Params<"ui/update-model-context"> | undefined;
  /** When that was, in milliseconds since it was opened. */
  modelContextAt: number | undefined;
  /** Questions to the person that wait for an answer. */
  questions = 0;
  /** What its content measures, as it says. */
  size: { width?: number; height?: number } | undefined;
  readonly #surroundings: AppSurroundings;
  readonly #room = {};
  #look: Look;
  #element: McpAppElement | undefined;
  #toolList: AppToolList | undefined;
  /** The tools that others were told of. */
  #offered: readonly Tool[] = [];
  #isOffering = false;
  #finished: Promise<void> | undefined;
  #settle = (): void => {};
  /** Resolves when it is there, or is not to be had. */
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

  /** The app, to be put into the page. Made when it is first asked for. */
  get element(): McpAppElement {
    return (this.#element ??= this.#open());
  }

  /** Whether some of it is on the screen, in a page that is looked at: browsers draw nothing else. */
  get isSeen(): boolean {
    if (!this.#element?.isConnected || document.visibilityState !== "visible") return false;
    const { top, bottom, left, right } = this.#element.getBoundingClientRect();
    return bottom > top && right > left && bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
  }

  /** The tools that it offers. It is asked for them when somebody wants to know, so that a rendering has no message more. */
  get toolList(): AppToolList {
    return (this.#toolList ??= new AppToolList(bridgeOf(this.element)));
  }

  /** Changes where the app believes it runs, at once. */
  setLook(look: Look): void {
    const before = this.#look.displayMode;
    this.#look = look;
    setDimensions(this.#room, look, this.profile);
    const { frame } = this.element;
    if (look.width !== undefined) this.element.style.width = `${look.width}px`;
    else this.element.style.removeProperty("width");
    frame?.setContext(this.#context());
    // Only when it is asked for: the person may have left the mode since.
    if (look.displayMode && look.displayMode !== before) this.showIn(look.displayMode);
    this.changed();
  }

  /** The display modes that it can be put into. */
  get modes(): DisplayMode[] {
    return allowedModes(this.profile, this.details?.appCapabilities.availableDisplayModes);
  }

  /** Puts it into a display mode. One that it is not made for is a line in its log, and changes nothing (I07). */
  showIn(mode: DisplayMode): void {
    if (this.modes.includes(mode)) this.element.frame?.setDisplayMode(mode);
    else this.log.line({ level: "warning", from: "host", text: this.modeProblem(mode) });
  }

  /** Why it is not shown in a mode that is none of its {@link modes}. */
  modeProblem(mode: DisplayMode): string {
    return `${this.source.title} is not shown in ${mode}: the profile ${this.profile.id} and the app have ${this.modes.join(", ")} in common.`;
  }

  /** The person is asked something for this app, above it. */
  async asked(answer: Promise<unknown>): Promise<void> {
    this.questions++;
    this.changed();
    await answer.catch(() => {});
    this.questions--;
    this.changed();
  }

  /** Whoever was told what the app wants the model to know has forgotten it. */
  sayAgain(): void {
    const { modelContext } = this;
    if (modelContext) this.#surroundings.context?.(this, modelContext)?.catch(this.#unsaid);
    this.#offered = [];
    this.#offer();
  }

  /** Asks the app to finish, takes it out of the page, and tells whoever had opened it. */
  async close(reason = "the person closed it"): Promise<void> {
    await this.finish(reason);
    this.#element?.remove();
    await this.source.close();
  }

  /** Asks the app to finish, once. Its element stays in the page, with nothing in it. */
  finish(reason: string): Promise<void> {
    return (this.#finished ??= this.#element?.close(reason) ?? Promise.resolve());
  }

  /** Comes into the page in place of another app that has finished; resolves when it is there, or is not to be had. */
  async replace(other: AppModel): Promise<void> {
    if (!other.#element?.isConnected) return;
    other.#element.replaceWith(this.element);
    await this.settled;
  }

  /** What it is told of where it runs. The app of a recording is told what it knew then, and has that with its source. */
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
    element.app = {
      ...source.frame,
      title: source.title,
      info: INFO,
      handlers: this.#handlers(),
      dimensions: this.#room,
      // What the tool answered is the conversation's to show, whole: here is what to do.
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

  /** A font that the imitated host serves itself and that stays closed here is no fault of the app. */
  #report(report: ProxyReport): void {
    const { directive, blocked } = report;
    const isFont = report.code === "csp_violation" && /^font-src/.test(`${directive}`);
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
      // The browser reports a press in another process, and the app's message may arrive first.
      if (isIn && !entry.person) setTimeout(() => (entry.person = this.#isUsed()), PRESS_DELAY);
    });
    bridge.on("ready", (details) => {
      // S12: for whoever reviews the app with the browser's own tools.
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

  /** An app that offers tools is asked for them; one that does not has no message more. */
  #offerTools(): void {
    if (this.#isOffering || !this.#surroundings.tools || !this.details?.appCapabilities.tools) return;
    this.#isOffering = true;
    this.toolList.subscribe(() => this.#offer());
  }

  #offer(): void {
    if (!this.#isOffering) return;
    // One that is gone, or away, offers none (A04).
    const tools = this.#toolList?.tools ?? [];
    if (JSON.stringify(tools) === JSON.stringify(this.#offered)) return;
    this.#offered = tools;
    this.#surroundings.tools?.(this, tools).catch(this.#unsaid);
  }

  /** Nobody waits for it: who looks at the app can read it. With a view that is closed all that it said is gone anyway. */
  readonly #unsaid = (error: unknown): void => {
    const text = `The model is not told what the app offers or knows: ${messageOf(error)}`;
    if (!this.#finished) this.log.line({ level: "warning", from: "host", text });
  };

  /** Whether a person does something in the app right now: what they do in a frame counts in the page above it. */
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
    // What is offered is what there is a handler for; the gateway answers before it.
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
