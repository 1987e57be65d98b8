/**
 * Plays a recording: its document in the sandbox, without its server. Requests of the app get the recorded
 * answers, and the host's messages are sent again.
 *
 * @module
 */
import { type Bridge, oneLine } from "@vitrine/host";
import { type GatewayClient, gatewayApp } from "@vitrine/host/gateway";
import {
  type CallToolResult,
  type DisplayMode,
  type HostContext,
  isRecord,
  mergeHostContext,
  recordOf,
} from "@vitrine/protocol";
import { AppModel, type AppSurroundings } from "../app/app-model.js";
import type { AppSource } from "../app/app-source.js";
import type { Look } from "../diagnosis/look.js";
import { Observable } from "../observable.js";
import { type Profile, STRICT } from "../profiles/profile.js";
import { type Comparison, compare } from "./compare.js";
import { type Act, isActTakenOut, sayAct } from "./recorded-act.js";
import { actsOf, aloneUntil, isAction, type PlacedAct, type RunMessage, runOf } from "./recorded-run.js";
import { RecordedServer } from "./recorded-server.js";
import { type AppDocument, eventsOf } from "./recorder.js";
import type { Recording } from "./recording.js";
import { ReplayActions } from "./replay-actions.js";
import { recordedContext, recordedLook } from "./replay-context.js";

/** Original speed, or as fast as the app can. */
export type ReplaySpeed = 1 | "max";

/** Options of a {@link Replay}. */
export interface ReplayOptions {
  /** Profiles to find the recorded one in; the strict one by default. */
  readonly profiles?: readonly Profile[] | undefined;
  /** Another document instead of the recorded one: the app's current version. */
  readonly document?: AppDocument | undefined;
  /** Another profile or look than the recorded one. */
  readonly profile?: Profile | undefined;
  readonly look?: Look | undefined;
  /**
   * Repeats an action on the app, and returns why it failed. A page cannot do it, because the app has another
   * origin: without it, actions are skipped and their consequences not expected.
   */
  readonly act?: ((act: Act) => Promise<string | undefined>) | undefined;
  /** Actions instead of the recorded ones, performed after all messages: the recording does not say when. */
  readonly acts?: readonly Act[] | undefined;
  readonly surroundings?: Omit<AppSurroundings, "message" | "call"> | undefined;
  /** Changes display modes as recorded: only if no user watches the page. */
  readonly setsMode?: boolean | undefined;
}

/** Milliseconds of silence after which a recorded action counts as missing: of a ready app, and before. */
const ACTION_TIMEOUT = 3000;
const START_TIMEOUT = 30_000;
/** Milliseconds of silence after which an app with all recorded actions is done. */
const QUIET = 500;
/** Maximum milliseconds of a whole run. */
const LONGEST_RUN = 30_000;
/** Maximum milliseconds of a recorded pause, because users pause longer than anyone wants to watch. */
const LONGEST_PAUSE = 3000;

/** A recording that is being played. Put `app.element` into the page; `app` changes when it restarts. */
export class Replay extends Observable {
  readonly recording: Recording;
  /** The messages in both directions. */
  readonly messages: readonly RunMessage[];
  /** The actions on the app, with their positions. */
  readonly acts: readonly PlacedAct[];
  /** Number of messages so far. */
  position = 0;
  isPlaying = false;
  speed: ReplaySpeed = 1;
  /** Called when the app was replaced. */
  onapp: ((app: AppModel) => void) | undefined;
  readonly #gateway: GatewayClient;
  readonly #options: ReplayOptions;
  /** Number of messages before the first user action. */
  readonly #alone: number;
  /** Number of attempted actions, and the failed ones. */
  #acted = 0;
  #failedActs: string[] = [];
  /** Whether a click was repeated, so that its consequences are expected. Waiting changes nothing. */
  #hasPressed = false;
  #app: AppModel | undefined;
  #actions: ReplayActions | undefined;
  #bridge: Bridge | undefined;
  #server: RecordedServer | undefined;
  #context: HostContext = {};
  /** Actions that the app still owes, and that are no longer awaited. */
  #owed = 0;
  /** Identifies the current playback: older ones end. */
  #turn = 0;
  /** The target position when stepping. */
  #target: number | undefined;
  #restarting: Promise<void> | undefined;
  #compared: { readonly key: string; readonly found: Comparison } | undefined;

  private constructor(gateway: GatewayClient, recording: Recording, options: ReplayOptions) {
    super();
    this.recording = recording;
    this.messages = runOf(recording.events);
    this.#gateway = gateway;
    this.#options = options;
    const { acts } = options;
    const place = this.messages.length;
    this.acts = acts?.map((act) => ({ place, act })) ?? actsOf(recording.events);
    this.#alone = aloneUntil(recording.events);
  }

  /** Opens a recording at its start. */
  static async open(
    gateway: GatewayClient,
    recording: Recording,
    options: ReplayOptions = {},
  ): Promise<Replay> {
    const replay = new Replay(gateway, recording, options);
    await replay.#begin();
    return replay;
  }

  get app(): AppModel {
    if (!this.#app) throw new Error("a replay without an app");
    return this.#app;
  }

  get isAtEnd(): boolean {
    return this.position >= this.messages.length;
  }

  /** Number of repeated actions. */
  get acted(): number {
    return this.#acted - this.#failedActs.length;
  }

  /** The differences so far. */
  get comparison(): Comparison {
    const { log } = this.app;
    const key = `${this.app.id} ${this.position} ${this.#acted} ${this.#failedActs.length} ${log.counts.in} ${log.steps.length} ${log.lines.length} ${log.violations.length}`;
    if (this.#compared?.key !== key) {
      const until = this.isAtEnd ? undefined : this.position;
      this.#compared = { key, found: this.#compare(until) };
    }
    return this.#compared.found;
  }

  #compare(until?: number): Comparison {
    const isRepeated = this.#hasPressed;
    const found = compare(this.recording.events, eventsOf(this.app.log), { until, isRepeated });
    const differences = [...this.#failedActs, ...found.differences];
    return { ...found, isSame: differences.length === 0, differences };
  }

  /** Continues to the end. */
  async play(speed: ReplaySpeed = this.speed): Promise<void> {
    this.speed = speed;
    this.pause();
    const turn = this.#turn;
    await this.#restarting;
    if (this.isAtEnd && this.position > 0) await this.#restart();
    if (turn === this.#turn) await this.#go(this.messages.length);
  }

  pause(): void {
    this.#turn++;
    this.#target = undefined;
    this.isPlaying = false;
    this.changed();
  }

  /** Sets the speed. */
  setSpeed(speed: ReplaySpeed): void {
    this.speed = speed;
    this.changed();
  }

  /** Plays the next message. */
  async next(): Promise<void> {
    await this.goTo((this.#target ?? this.position) + 1);
  }

  /** Goes back one message, by restarting up to there. */
  async previous(): Promise<void> {
    await this.goTo((this.#target ?? this.position) - 1);
  }

  /** Goes to a position; an earlier one needs a restart. */
  async goTo(position: number): Promise<void> {
    const to = Math.max(0, Math.min(position, this.messages.length));
    this.pause();
    const turn = this.#turn;
    this.#target = to;
    await this.#restarting;
    if (to < this.position) await this.#restart();
    if (turn !== this.#turn) return;
    await this.#go(to, "max");
    if (this.#target === to) this.#target = undefined;
  }

  /**
   * Plays everything as fast as possible, waits until the app is idle, and returns the differences. At the
   * time limit, the state so far is compared, because an app may never be idle.
   */
  async run(limit = LONGEST_RUN): Promise<Comparison> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, limit);
    });
    await Promise.race([this.#playOut(), late]).finally(() => clearTimeout(timer));
    this.pause();
    const steps = this.#options.act ? this.acts.length : 0;
    if (this.isAtEnd && this.#acted === steps) return this.comparison;
    // Unreached messages count as missing: an interrupted replay proves nothing.
    const found = this.#compare();
    const step = steps > 0 ? ` and step ${this.#acted} of ${steps}` : "";
    const cut = `The replay reached message ${this.position} of ${this.messages.length}${step} within ${Math.round(limit)} ms.`;
    return { ...found, isSame: false, differences: [cut, ...found.differences] };
  }

  async close(): Promise<void> {
    this.pause();
    await this.#app?.close();
  }

  async #playOut(): Promise<void> {
    await this.play("max");
    await this.#caughtUp(this.messages.length);
    await this.#actions?.quiet(QUIET);
  }

  /** Restarts; concurrent requests share one restart. */
  #restart(): Promise<void> {
    this.#restarting ??= (async () => {
      const before = this.#app;
      await this.#begin();
      // Afterwards, so that the page has no empty gap in between.
      await before?.close("the replay starts again");
    })().finally(() => {
      this.#restarting = undefined;
    });
    return this.#restarting;
  }

  async #begin(): Promise<void> {
    const { header } = this.recording;
    const { profiles = [], document = header.document, surroundings, look } = this.#options;
    const recorded = profiles.find(({ id }) => id === header.profile);
    const profile = this.#options.profile ?? recorded ?? STRICT;
    const view = await this.#gateway.showDocument({
      name: header.title,
      html: document.html,
      meta: document.meta,
      narrow: profile.narrow,
      dialects: header.dialects,
    });
    const greeting = this.messages.find(({ d, method }) => d === "in" && method === "ui/initialize")?.answer;
    const { hostContext, hostCapabilities } = recordOf(greeting?.m["result"]);
    const known = isRecord(hostContext) ? hostContext : header.context;
    this.#context = recordedContext(known);
    // The frame shows the owner of the app: here it is only what the file claims.
    const server = new RecordedServer(
      `Recording of ${oneLine(header.server)}`,
      this.messages,
      recordOf(hostCapabilities),
    );
    this.#server = server;
    this.#owed = 0;
    this.#acted = 0;
    this.#failedActs = [];
    this.#hasPressed = false;
    this.position = 0;
    const place = gatewayApp(view, { info: { name: "", version: "" } }).view;
    const source: AppSource = {
      id: view.id,
      server: header.server,
      title: oneLine(header.title),
      isRecording: true,
      uri: header.uri,
      tool: header.tool,
      document,
      get place() {
        return view.opened.place;
      },
      get problem() {
        return view.opened.problem;
      },
      frame: {
        view: place,
        instance: view.id,
        upstream: server,
        guard: server.guard,
        context: this.#context,
      },
      tell: (bridge) => {
        this.#bridge = bridge;
      },
      close: () => view.close(),
    };
    this.#app = new AppModel(source, {
      profile,
      look: look ?? recordedLook(known, header.look),
      // The app's messages were sent then; that it can send them is part of its context.
      surroundings: { ...surroundings, message: () => {} },
    });
    this.#actions = new ReplayActions(this.#app.log);
    // The recorded width, if there is room.
    this.#app.element.style.maxWidth = "100%";
    this.changed();
    this.onapp?.(this.#app);
  }

  /** Plays messages up to a position. */
  async #go(to: number, speed?: ReplaySpeed): Promise<void> {
    const turn = ++this.#turn;
    const isTurn = (): boolean => turn === this.#turn;
    this.isPlaying = true;
    this.changed();
    while (isTurn()) {
      await this.#repeatActs(isTurn);
      if (this.position >= to || !isTurn()) break;
      const message = this.messages[this.position];
      if (!message) break;
      const before = this.messages[this.position - 1]?.t ?? message.t;
      if ((speed ?? this.speed) === 1)
        await new Promise((resolve) => setTimeout(resolve, Math.min(message.t - before, LONGEST_PAUSE)));
      // The host's messages after an action of the app wait for that action.
      if (message.d === "out") await this.#caughtUp(this.position);
      if (!isTurn()) return;
      this.position++;
      this.#server?.reach(this.position);
      this.#happen(message);
      this.changed();
    }
    if (!isTurn()) return;
    this.isPlaying = false;
    this.changed();
  }

  /** Repeats the actions at this position, after the app's own earlier actions. */
  async #repeatActs(isTurn: () => boolean): Promise<void> {
    const { act: repeat } = this.#options;
    while (repeat && isTurn()) {
      const next = this.acts[this.#acted];
      if (!next || next.place > this.position) return;
      await this.#caughtUp(next.place);
      if (!isTurn()) return;
      const problem = isActTakenOut(next.act) ? takenOut(next.act) : await repeat(next.act);
      // Interrupted by a newer playback.
      if (!isTurn()) return;
      this.#acted++;
      if (problem !== undefined) this.#failedActs.push(`A step cannot be repeated: ${problem}.`);
      else if ("click" in next.act) this.#hasPressed = true;
      this.changed();
    }
  }

  /** Waits until the app has done its actions before a position, unless a user action was needed first. */
  async #caughtUp(place: number): Promise<void> {
    const { app } = this;
    const actions = this.#actions;
    if (!actions) return;
    const last = this.#hasPressed ? place : Math.min(place, this.#alone);
    const due = this.messages.slice(0, last).filter(isAction).length;
    const missing = (): number => due - this.#owed - actions.count;
    if (missing() <= 0) return;
    await actions.reach(
      due - this.#owed,
      () => /^(failed|closed)$/.test(app.state),
      () => (app.state === "ready" ? ACTION_TIMEOUT : START_TIMEOUT),
    );
    this.#owed += Math.max(0, missing());
  }

  #happen({ d, kind, method, params }: RunMessage): void {
    const bridge = this.#bridge;
    if (d !== "out" || kind !== "notification" || !bridge) return;
    if (method === "ui/notifications/tool-input-partial")
      bridge.sendToolInputPartial(recordOf(params["arguments"]));
    else if (method === "ui/notifications/tool-input") bridge.sendToolInput(recordOf(params["arguments"]));
    else if (method === "ui/notifications/tool-result")
      bridge.sendToolResult({ content: [], ...params } as CallToolResult);
    else if (method === "ui/notifications/tool-cancelled") bridge.sendToolCancelled(textOf(params["reason"]));
    else if (method === "ui/notifications/host-context-changed") this.#changeContext(params);
    else this.#server?.tell(method, params);
  }

  #changeContext(change: Readonly<Record<string, unknown>>): void {
    const { app } = this;
    const { displayMode } = change;
    this.#context = mergeHostContext(this.#context, recordedContext(change));
    app.source.frame.context = this.#context;
    app.setLook(app.look);
    // An untrusted file cannot fill the window: the user chooses the mode.
    if (this.#options.setsMode && /^(inline|fullscreen|pip)$/.test(`${displayMode}`))
      app.showIn(displayMode as DisplayMode);
  }
}

/** A redacted target cannot be clicked; skipping a redacted wait changes nothing. */
const takenOut = (act: Act): string | undefined =>
  "click" in act ? `the pressed element was removed from the recording (${sayAct(act)})` : undefined;

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
