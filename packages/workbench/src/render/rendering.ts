/**
 * An app in an unattended page: `vitrine render` drives it, and asks for its state.
 *
 * @module
 */

import { connectGateway, type GatewayClient, type GatewayView } from "@vitrine/host/gateway";
import type { DisplayMode } from "@vitrine/protocol";
import { recordOf, VitrineError } from "@vitrine/protocol";
import type { GatewayRequests } from "@vitrine/wire";
import { AppModel, type AppSurroundings } from "../model/app/app-model.js";
import { gatewaySource } from "../model/app/app-source.js";
import { appVoice } from "../model/app/app-voice.js";
import { diagnose } from "../model/diagnosis/diagnose.js";
import { isThrown } from "../model/diagnosis/diagnosis-facts.js";
import type { Look } from "../model/diagnosis/look.js";
import { messageOf } from "../model/messages/messages.js";
import { DEVICES } from "../model/profiles/devices.js";
import { type Profile, STRICT } from "../model/profiles/profile.js";
import { sinceLastStart } from "../model/recording/recorded-run.js";
import { recordApp } from "../model/recording/recorder.js";
import {
  isShown,
  isStep,
  type Recording,
  readRecording,
  writeRecording,
} from "../model/recording/recording.js";
import { Replay } from "../model/recording/replay.js";
import { redact } from "../model/redaction/redact.js";
import { countAt } from "../model/redaction/redact-paths.js";
import type {
  CallRequest,
  RenderAct,
  RenderDocument,
  RenderPage,
  RenderProblem,
  RenderRequest,
  RenderShown,
  RenderSnapshot,
  RenderTimes,
  RenderTrace,
  ReplayOutcome,
  ReplayRequest,
} from "../node/render-page.js";
import { Commissions } from "./commissions.js";
import { RenderConsents } from "./consents.js";
import { currentDocument } from "./current-document.js";
import { isQuiet, until } from "./quiet.js";
import { problemOf } from "./thrown-problem.js";

/** Diagnoses of a visible app that still count as failure. */
const FAILED = new Set(["call-ended", "result-error", "unresponsive"]);
/** Diagnoses of an app with an uncaught error during its start: it does not show what it should. */
const CRASHED = new Set(["script-error", "script-blocked", "request-blocked", "zero-height"]);

const PROXY_READY = "ui/notifications/sandbox-proxy-ready";

/** The page's global. */
export class Rendering implements RenderPage {
  readonly profiles: readonly Profile[];
  readonly #times: RenderTimes = {};
  readonly #commissions = new Commissions();
  #consents = new RenderConsents([]);
  #app: AppModel | undefined;
  #hasEnded = false;
  #problem: RenderProblem | undefined;
  #replayed: ReplayOutcome | undefined;
  #recorded: RenderSnapshot["recorded"];
  /** When the app first became idle, in its log's milliseconds: earlier errors belong to its start. */
  #startedAt: number | undefined;

  constructor(profiles: readonly Profile[]) {
    this.profiles = profiles;
  }

  async open(request: RenderRequest): Promise<void> {
    const { arguments: input, allow } = request;
    this.#consents = new RenderConsents(allow);
    // Its messages go nowhere, because there is no conversation. A recording contains them.
    await this.#open(request, { arguments: input }, () => ({ message: () => {} }));
  }

  async showCall(request: CallRequest): Promise<void> {
    const { conversation, item } = request;
    await this.#open(request, { call: { conversation, item } }, (gateway, view) => {
      const voice = appVoice(gateway, conversation, view);
      return {
        message: (_from, params) => voice.message(params),
        context: (_from, params) => voice.context(params),
        tools: (_from, tools) => voice.tools(tools),
      };
    });
  }

  /** Opens a view, and shows its app until it is ready and has its result. */
  async #open(
    request: Omit<CallRequest, "conversation" | "item">,
    what: Pick<GatewayRequests["gateway/open"]["params"], "arguments" | "call">,
    surroundingsOf: (gateway: GatewayClient, view: GatewayView) => Omit<AppSurroundings, "call">,
  ): Promise<void> {
    const { server, tool, profile, timeout } = request;
    const deadline = performance.now() + timeout;
    const imitated = this.profiles.find(({ id }) => id === profile) ?? STRICT;
    try {
      const gateway = this.#connect();
      const view = await gateway.openView(
        { server, tool, ...what, narrow: imitated.narrow, dialects: imitated.dialects },
        { signal: AbortSignal.timeout(timeout) },
      );
      const app = new AppModel(gatewaySource(view), {
        profile: imitated,
        look: lookOf(request),
        surroundings: {
          ...surroundingsOf(gateway, view),
          call: {
            result: () => this.#note("toolResult"),
            cancelled: () => {
              this.#hasEnded = true;
            },
          },
        },
      });
      this.#show(app);
      await until(() => this.#isOver(app), deadline);
      this.#problem = this.#find(app) ?? this.#missing(app, timeout) ?? modeProblem(app, request.mode);
    } catch (error) {
      this.#problem = problemOf(error);
    }
  }

  async replay({ recording: text, server, acts, timeout }: ReplayRequest): Promise<void> {
    const deadline = performance.now() + timeout;
    try {
      const recording = readRecording(text);
      const gateway = this.#connect();
      const document =
        server === undefined
          ? undefined
          : await currentDocument(gateway, server, recording.header.uri, timeout);
      const replay = await Replay.open(gateway, recording, {
        profiles: this.profiles,
        document,
        acts,
        act: (act) => this.#commissions.give(act),
        setsMode: true,
      });
      this.#show(replay.app);
      const { differences, compared, untested } = await replay.run(Math.max(0, deadline - performance.now()));
      const { restored } = recording.header;
      this.#recorded =
        recording.events.findLast(isShown)?.shown ?? (wasReady(recording) ? "unknown" : undefined);
      this.#replayed = {
        differences,
        compared,
        untested,
        steps: replay.acted,
        ...(restored && { restored }),
      };
    } catch (error) {
      this.#problem = problemOf(error);
    } finally {
      this.#commissions.end();
    }
  }

  nextAct(): Promise<RenderAct | undefined> {
    return this.#commissions.next();
  }

  actEnded(problem?: string): void {
    this.#commissions.ended(problem);
  }

  noteAct(act: RenderAct): void {
    this.#app?.log.act(act);
  }

  async settle(limit: number): Promise<void> {
    const app = this.#app;
    if (!app) return;
    await until(() => isQuiet(app), performance.now() + limit);
    this.#startedAt ??= app.log.now;
  }

  snapshot(): RenderSnapshot {
    const app = this.#app;
    const { details, log, source } = app ?? {};
    const isStatic = app !== undefined && isShownStatic(app);
    // An app may also fail later, and its browser may report the cause of an error after the error. A replayed app is
    // compared rather than diagnosed.
    const problem = (app && !this.#replayed ? this.#find(app) : undefined) ?? this.#problem;
    const frame = app?.element.shadowRoot?.querySelector("iframe")?.getBoundingClientRect();
    return {
      server: source?.server ?? "",
      tool: source?.tool?.name ?? "",
      uri: source?.uri ?? "",
      isReady: this.#times.initialized !== undefined || isStatic,
      hasResult: this.#times.resultDelivered !== undefined || isStatic,
      ...(isStatic && { isStatic }),
      problem,
      view: details && { appInfo: { ...details.appInfo }, capabilities: { ...details.appCapabilities } },
      times: this.#times,
      size: { width: Math.round(frame?.width ?? 0), height: Math.round(frame?.height ?? 0) },
      policy: source?.place?.policy ?? "",
      around: [location.origin, ...(source?.place ? [source.place.origin] : [])],
      violations: (log?.violations ?? []).map(({ directive, blocked }) => ({ directive, blocked })),
      // The command reads the console itself.
      lines: (log?.lines ?? []).flatMap(({ level, from, text, place }) =>
        from === "console" ? [] : [{ level, from, text, ...(place && { place }) }],
      ),
      consents: this.#consents.given,
      messages: { sent: log?.counts.out ?? 0, received: log?.counts.in ?? 0 },
      replay: this.#replayed,
      recorded: this.#recorded,
    };
  }

  async trace(
    document?: RenderDocument,
    paths: readonly string[] = [],
    shown?: RenderShown,
  ): Promise<RenderTrace | undefined> {
    const app = this.#app;
    if (!app) return undefined;
    try {
      const made = await recordApp(app, document);
      const recording = shown ? { ...made, events: [...made.events, { t: app.log.now, shown }] } : made;
      const clean =
        paths.length > 0
          ? redact(
              recording,
              paths.map((path) => ({ paths: [path] })),
            )
          : recording;
      const redacted = paths.map((path) => countAt(recording.events, path));
      return { recording: writeRecording(clean), redacted };
    } catch (error) {
      return {
        problem: {
          code: "trace-failed",
          message: `Nothing was recorded. ${messageOf(error)}`,
          fix: "Let the server answer resources/read as often as it is asked, or leave out --trace.",
        },
      };
    }
  }

  #connect(): GatewayClient {
    return connectGateway({
      url: "/api/session",
      onask: async (question) => this.#consents.answer(question),
      answers: {
        "conversation/app-tool": ({ name, arguments: input }, signal) => {
          if (!this.#app) throw new VitrineError("unsupported", "the app is not open in this page");
          return this.#app.toolList.call(name, input, signal);
        },
      },
    });
  }

  #note(name: keyof RenderTimes): void {
    this.#times[name] ??= Date.now();
  }

  #show(app: AppModel): void {
    this.#app = app;
    const { element, source } = app;
    addEventListener("message", ({ origin, data }) => {
      if (origin === source.place?.origin && Object(data).method === PROXY_READY) this.#note("proxyReady");
    });
    element.bridge?.on("ready", () => this.#note("initialized"));
    element.bridge?.on("size", () => this.#note("firstSize"));
    element.bridge?.on("traffic", ({ direction, message }) => {
      const { method } = recordOf(message);
      const isResult = direction === "out" && method === "ui/notifications/tool-result";
      // The bridge reports readiness only after the app received its queued messages.
      if (isResult || (direction === "in" && method === "ui/notifications/initialized"))
        this.#note("initialized");
      if (isResult) this.#note("resultDelivered");
    });
    document.body.append(element);
  }

  /** Whether the app has its result, or never will. */
  #isOver(app: AppModel): boolean {
    const { initialized, resultDelivered } = this.#times;
    const isTold = resultDelivered !== undefined || this.#hasEnded;
    if (isShownStatic(app)) return true;
    return app.state === "failed" || (initialized !== undefined && isTold);
  }

  #find(app: AppModel): RenderProblem | undefined {
    const found = diagnose(app);
    if (!found) return undefined;
    const { level, cause, evidence, fix } = found;
    const isFailure =
      level === "error" || FAILED.has(cause.code) || (CRASHED.has(cause.code) && this.#hasCrashed(app));
    if (!isFailure) return undefined;
    const seen = evidence.slice(0, 4).join("; ");
    return { code: cause.code, message: seen ? `${cause.message} ${seen}` : cause.message, fix };
  }

  /**
   * Whether a script failed before the app became idle. Later errors, such as after a click, are only listed.
   */
  #hasCrashed({ log }: AppModel): boolean {
    const until = this.#startedAt ?? log.now;
    return log.lines.some((line) => isThrown(line) && line.at <= until);
  }

  #missing(app: AppModel, timeout: number): RenderProblem | undefined {
    if (this.#isOver(app)) return undefined;
    if (this.#times.initialized === undefined)
      return {
        code: "handshake-timeout",
        message: `The app did not start within ${timeout} ms.`,
        fix: "Call app.connect() when the document runs; or give it longer with --timeout.",
      };
    return {
      code: "call-timeout",
      message: `The tool did not answer within ${timeout} ms.`,
      fix: "Make the tool answer sooner, or wait longer with --timeout.",
    };
  }
}

/** The app is shown, but not in the requested mode. */
function modeProblem(app: AppModel, mode: DisplayMode): RenderProblem | undefined {
  if (app.modes.includes(mode)) return undefined;
  return {
    code: "mode-unsupported",
    message: app.modeProblem(mode),
    fix: `Declare ${mode} in the app's availableDisplayModes, or leave out --mode.`,
  };
}

/** Whether the recorded app became ready. */
const wasReady = ({ events }: Recording): boolean =>
  sinceLastStart(events).some((event) => isStep(event) && event.step === "ready");

/** A loaded static document is complete: it takes no result. */
const isShownStatic = ({ state, source }: AppModel): boolean =>
  state === "ready" && source.place?.static === true;

/** An app may have any height, so that a screenshot shows all of it. */
function lookOf({ device, mode }: Pick<RenderRequest, "device" | "mode">): Look {
  return { ...DEVICES[device], maxHeight: undefined, displayMode: mode };
}
