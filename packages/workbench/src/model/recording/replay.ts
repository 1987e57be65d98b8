/**
 * A recording played again: its document in the sandbox, without its server. What the app asks is answered as it was, and
 * what it was told it is told again.
 *
 * @module
 */
import { type Bridge, oneLine } from "@vitrine/host";
import { type Gateway, gatewayApp } from "@vitrine/host/gateway";
import { type CallToolResult, type DisplayMode, type HostContext, mergeHostContext } from "@vitrine/protocol";
import { AppModel, type AppSurroundings } from "../app/app-model.js";
import type { AppSource } from "../app/app-source.js";
import type { Look } from "../diagnosis/look.js";
import { Observable } from "../observable.js";
import { type Profile, STRICT } from "../profiles/profile.js";
import { type Comparison, compare } from "./compare.js";
import { type Act, isActTakenOut, sayAct } from "./recorded-act.js";
import { actsOf, aloneUntil, isDeed, type PlacedAct, type RunMessage, runOf } from "./recorded-run.js";
import { RecordedServer } from "./recorded-server.js";
import { type AppDocument, eventsOf } from "./recorder.js";
import { isRecord, type Recording, record } from "./recording.js";
import { recordedContext, recordedLook } from "./replay-context.js";
import { Deeds } from "./replay-deeds.js";

/** As it was, or as fast as the app can. */
export type ReplaySpeed = 1 | "max";

/** Options of a {@link Replay}. */
export interface ReplayOptions {
  /** Profiles by which the recording's one is found; the strict one by default. */
  readonly profiles?: readonly Profile[] | undefined;
  /** Another document in place of the recorded one: the app as it is now. */
  readonly document?: AppDocument | undefined;
  /** Another host or place than the recorded one. */
  readonly profile?: Profile | undefined;
  readonly look?: Look | undefined;
  /**
   * Does again what was done with the app, and says why if it cannot. A page cannot, as the app is of another origin:
   * without it nothing is done, and what followed is not expected.
   */
  readonly act?: ((act: Act) => Promise<string | undefined>) | undefined;
  /** What to do in place of what was done, when all messages have happened: the recording does not say when. */
  readonly acts?: readonly Act[] | undefined;
  readonly surroundings?: Omit<AppSurroundings, "message" | "call"> | undefined;
  /** Changes display modes as the recording did: only where nobody looks at the page. */
  readonly setsMode?: boolean | undefined;
}

/** Milliseconds of silence after which what the app did then counts as not done: of one that is ready, and before. */
const PATIENCE = 3000;
const PATIENCE_TO_START = 30_000;
/** Milliseconds of silence after which an app that has done all it did is not expected to do more. */
const QUIET = 500;
/** Milliseconds that all of a run takes at most. */
const LONGEST_RUN = 30_000;
/** Milliseconds that a pause of the recording lasts at most: people think longer than anybody wants to watch. */
const LONGEST_PAUSE = 3000;

/** A recording that is being played. Put `app.element` into the page; `app` is another one when it begins anew. */
export class Replay extends Observable {
  readonly recording: Recording;
  /** What was said, both ways. */
  readonly messages: readonly RunMessage[];
  /** What was done with the app, and when. */
  readonly acts: readonly PlacedAct[];
  /** How many of them have happened. */
  position = 0;
  isPlaying = false;
  speed: ReplaySpeed = 1;
  /** Hears that the app is another one. */
  onapp: ((app: AppModel) => void) | undefined;
  readonly #gateway: Gateway;
  readonly #options: ReplayOptions;
  /** How many messages came before anybody did something. */
  readonly #alone: number;
  /** How much was tried to be done again, and what of that could not be. */
  #acted = 0;
  #failedActs: string[] = [];
  /** Something was pressed again, so that what followed from it is expected. Waiting changes nothing. */
  #hasPressed = false;
  #app: AppModel | undefined;
  #deeds: Deeds | undefined;
  #bridge: Bridge | undefined;
  #server: RecordedServer | undefined;
  #context: HostContext = {};
  /** Deeds that the app owes, and that are not waited for any more. */
  #owed = 0;
  /** Which playing it is: an older one ends. */
  #turn = 0;
  /** Where it is going, step by step. */
  #target: number | undefined;
  #restarting: Promise<void> | undefined;
  #compared: { readonly key: string; readonly found: Comparison } | undefined;

  private constructor(gateway: Gateway, recording: Recording, options: ReplayOptions) {
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

  /** Opens a recording, at its beginning. */
  static async open(gateway: Gateway, recording: Recording, options: ReplayOptions = {}): Promise<Replay> {
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

  /** How much of what was done with the app was done again. */
  get acted(): number {
    return this.#acted - this.#failedActs.length;
  }

  /** What is different, as far as it was played. */
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

  /** Plays on, to the end. */
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

  /** How fast it is played from now on. */
  setSpeed(speed: ReplaySpeed): void {
    this.speed = speed;
    this.changed();
  }

  /** Lets the next message happen. */
  async next(): Promise<void> {
    await this.goTo((this.#target ?? this.position) + 1);
  }

  /** Takes the last message back: begins anew, up to there. */
  async previous(): Promise<void> {
    await this.goTo((this.#target ?? this.position) - 1);
  }

  /** Goes to a place, back to an earlier one by beginning anew. */
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
   * Plays all of it as fast as the app can, waits until the app does nothing more, and says what is different. When the
   * time is over, so many milliseconds after its beginning, what there is by then is compared: an app may never rest.
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
    // What was not reached is missed, and not passed over: a replay that was cut short proves nothing.
    const found = this.#compare();
    const step = steps > 0 ? ` and step ${this.#acted} of ${steps}` : "";
    const cut = `The replay came to message ${this.position} of ${this.messages.length}${step} within ${Math.round(limit)} ms.`;
    return { ...found, isSame: false, differences: [cut, ...found.differences] };
  }

  async close(): Promise<void> {
    this.pause();
    await this.#app?.close();
  }

  async #playOut(): Promise<void> {
    await this.play("max");
    await this.#caughtUp(this.messages.length);
    await this.#deeds?.quiet(QUIET);
  }

  /** Begins anew; once, however often it is asked for meanwhile. */
  #restart(): Promise<void> {
    this.#restarting ??= (async () => {
      const before = this.#app;
      await this.#begin();
      // Only then: a place in the page is not to be empty in between.
      await before?.close("the replay begins anew");
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
    });
    const greeting = this.messages.find(({ d, method }) => d === "in" && method === "ui/initialize")?.answer;
    const { hostContext, hostCapabilities } = record(greeting?.m["result"]);
    const known = isRecord(hostContext) ? hostContext : header.context;
    this.#context = recordedContext(known);
    // The frame says whose app this is: here it is nobody's word but the file's (attack E09).
    const server = new RecordedServer(
      `Recording of ${oneLine(header.server)}`,
      this.messages,
      record(hostCapabilities),
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
      // What the app says was said then; that it can be said is part of what the app knows.
      surroundings: { ...surroundings, message: () => {} },
    });
    this.#deeds = new Deeds(this.#app.log);
    // As wide as it was, where there is room for that.
    this.#app.element.style.maxWidth = "100%";
    this.changed();
    this.onapp?.(this.#app);
  }

  /** Lets messages happen until a place is reached. */
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
      // What the host said after something that the app did, it says when the app has done it.
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

  /** Does again what was done with the app at this place, when the app has done what it had done before it. */
  async #repeatActs(isTurn: () => boolean): Promise<void> {
    const { act: repeat } = this.#options;
    while (repeat && isTurn()) {
      const next = this.acts[this.#acted];
      if (!next || next.place > this.position) return;
      await this.#caughtUp(next.place);
      if (!isTurn()) return;
      const problem = isActTakenOut(next.act) ? takenOut(next.act) : await repeat(next.act);
      // One that ended with its turn was cut short by it.
      if (!isTurn()) return;
      this.#acted++;
      if (problem !== undefined) this.#failedActs.push(`A step cannot be repeated: ${problem}.`);
      else if ("click" in next.act) this.#hasPressed = true;
      this.changed();
    }
  }

  /** The app has done what it did before a place, or is not expected to: a person did something first. */
  async #caughtUp(place: number): Promise<void> {
    const { app } = this;
    const deeds = this.#deeds;
    if (!deeds) return;
    const last = this.#hasPressed ? place : Math.min(place, this.#alone);
    const due = this.messages.slice(0, last).filter(isDeed).length;
    const missing = (): number => due - this.#owed - deeds.count;
    if (missing() <= 0) return;
    await deeds.reach(
      due - this.#owed,
      () => /^(failed|closed)$/.test(app.state),
      () => (app.state === "ready" ? PATIENCE : PATIENCE_TO_START),
    );
    this.#owed += Math.max(0, missing());
  }

  #happen({ d, kind, method, params }: RunMessage): void {
    const bridge = this.#bridge;
    if (d !== "out" || kind !== "notification" || !bridge) return;
    if (method === "ui/notifications/tool-input-partial")
      bridge.sendToolInputPartial(record(params["arguments"]));
    else if (method === "ui/notifications/tool-input") bridge.sendToolInput(record(params["arguments"]));
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
    // A file that a stranger made fills no window: the person chooses the mode (attack E09).
    if (this.#options.setsMode && /^(inline|fullscreen|pip)$/.test(`${displayMode}`))
      app.showIn(displayMode as DisplayMode);
  }
}

/** What cannot be known any more cannot be pressed; that it is not waited for changes nothing. */
const takenOut = (act: Act): string | undefined =>
  "click" in act ? `what was pressed was taken out of the recording (${sayAct(act)})` : undefined;

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
