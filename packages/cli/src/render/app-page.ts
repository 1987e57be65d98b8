/**
 * A page that shows one app, driven from outside.
 *
 * @module
 */
import { writeFile } from "node:fs/promises";
import type { RenderAct, RenderDocument, RenderPage, RenderShown, RenderSnapshot } from "@vitrine/workbench";
import type { Page } from "playwright-core";
import { CliError, told } from "../exit.js";
import { causeOf, causeOfError } from "./cause.js";
import { listenToConsole } from "./console-lines.js";
import { type Drawing, drawingOf } from "./drawing.js";
import type { RenderPlan } from "./render-plan.js";
import type { RenderCause, RenderResult, RenderTimings } from "./render-result.js";
import { textDifference } from "./shown-text.js";
import type { Stage } from "./stage.js";
import { act } from "./steps.js";
import { drawn, picture, viewFrame, within } from "./view-frame.js";

/** In the page; see `RenderPage`. */
declare const vitrineRender: RenderPage;

/** Known facts about an app before it is shown. */
export interface AppFacts {
  readonly tool: string;
  readonly arguments: Record<string, unknown>;
  readonly server: RenderResult["server"];
  /** Milliseconds since 1970: when the turn started, and when the server was connected. */
  readonly startedAt: number;
  readonly connectedAt?: number | undefined;
  /** The file of the recording. */
  readonly trace?: string | undefined;
  /** For the recording: the document, read before the app was shown. */
  readonly document?: RenderDocument | undefined;
  /** Whether to take a screenshot. */
  readonly isPictured: boolean;
}

/** A rendered app. */
export interface Rendered {
  readonly result: RenderResult;
  readonly picture?: Buffer | undefined;
}

/** Milliseconds that a ready app gets to settle. */
const REST = 3_000;

/** Milliseconds after its deadline by which a replay has certainly ended. */
const LATER = 1_000;

const SPINS = {
  code: "unresponsive",
  message: "This app does not respond.",
  fix: "Look for an endless loop in the app's scripts; move long work into small portions.",
};

/** Renders the app of a tool in a separate page. */
export const renderTool = (stage: Stage, plan: RenderPlan, turn: AppFacts): Promise<Rendered> =>
  withPage(stage, async (page) => {
    const { profile, mode, device, allow, timeout } = plan;
    const { tool, arguments: input } = turn;
    const request = { server: stage.server, tool, arguments: input, device: device.name };
    const lines = listenToConsole(page);
    await page.evaluate((asked) => vitrineRender.open(asked), { ...request, profile, mode, allow, timeout });
    await rest(page);
    const cause = await use(page, plan);
    return finish(page, plan, turn, lines, ({ isReady, hasResult }, { lack }) => {
      if (!isReady || !hasResult)
        return causeOf({
          code: "result-missing",
          message: "The app did not receive the result of its tool.",
        });
      return (lack && causeOf({ code: lack, message: LACKS[lack] })) ?? cause;
    });
  });

/** Messages for an app that shows nothing. */
const LACKS: Readonly<Record<NonNullable<Drawing["lack"]>, string>> = {
  blank: "The app is ready and has its result, but there is nothing to see: it is all one colour.",
  "zero-height": "The app is ready and has its result, but its frame has no height.",
  "still-loading": "The app has its result, but still shows only a loading state.",
};

/** Plays a recording; with a server, using the server's current app. */
export const replayRecording = (
  stage: Stage,
  plan: RenderPlan,
  turn: AppFacts,
  recording: string,
): Promise<Rendered> =>
  withPage(stage, async (page) => {
    const { timeout, steps } = plan;
    const server = stage.server || undefined;
    const acts = steps.length > 0 ? steps : undefined;
    const lines = listenToConsole(page);
    await Promise.all([
      page.evaluate((asked) => vitrineRender.replay(asked), { recording, server, acts, timeout }),
      repeatActs(page, timeout),
    ]);
    await rest(page);
    return finish(page, plan, turn, lines, ({ replay, recorded }, { lack }) => {
      const wasDrawn = recorded === "unknown" || recorded?.isDrawn;
      if (lack && wasDrawn) return causeOf({ code: lack, message: `${LACKS[lack]} ${WAS_DRAWN}` });
      const { differences = [], restored } = replay ?? {};
      if (differences.length === 0) return undefined;
      const message = differences.join(" ");
      return causeOf(
        restored ? { code: "replay-unsure", message: KEPT + message } : { code: "replay-differs", message },
      );
    });
  });

const WAS_DRAWN = "When it was recorded, it was ready and drawn.";

const KEPT =
  "The app was recorded after an earlier mount; its stored state is not in the file, which may cause the differences. ";

/** Performs the steps of a replayed app that the page cannot do itself, each in its turn. */
async function repeatActs(page: Page, timeout: number): Promise<void> {
  const deadline = Date.now() + timeout;
  for (;;) {
    const step = await page.evaluate(() => vitrineRender.nextAct());
    if (!step) return;
    const left = Math.max(1, deadline - Date.now());
    // After the end of the replay, do not wait for the app any more.
    const problem = await within(left + LATER, repeatAct(page, step, left), "the app does not respond");
    await page.evaluate((why) => vitrineRender.actEnded(why), problem);
  }
}

/** Performs one step within the remaining time; returns why it failed. */
async function repeatAct(page: Page, step: RenderAct, left: number): Promise<string | undefined> {
  const frame = viewFrame(page);
  if (!frame) return "the app is not shown";
  // A pause that is too long is limited to the end of the replay, and does not count as done.
  const longest = left + LATER;
  const pause = "wait" in step && typeof step.wait === "number" ? Math.min(step.wait, longest) : undefined;
  try {
    await drawn(frame);
    // Half of the remaining time, so that a failing step can still be reported.
    await act(frame, pause === undefined ? step : { wait: pause }, Math.round(left / 2), () =>
      note(page, step),
    );
    return undefined;
  } catch (error) {
    const known = told(error);
    if (!known) throw error;
    return known.message;
  }
}

const note = (page: Page, step: RenderAct): Promise<void> =>
  page.evaluate((done) => vitrineRender.noteAct(done), step);

async function withPage(stage: Stage, work: (page: Page) => Promise<Rendered>): Promise<Rendered> {
  const page = await (await stage.context()).newPage();
  try {
    await page.goto(`${await stage.origin()}/render.html`);
    if (!(await page.evaluate(() => "vitrineRender" in globalThis)))
      throw new CliError("page-missing", "the page that renders apps is missing");
    return await work(page);
  } catch (cause) {
    throw told(cause)
      ? cause
      : new CliError("browser-failed", `the browser failed: ${firstLine(cause)}`, { cause });
  } finally {
    await page.close();
  }
}

const firstLine = (error: unknown): string => String(Object(error).message ?? error).split("\n", 1)[0] ?? "";

/** Waits until the app is idle and drawn. */
async function rest(page: Page): Promise<void> {
  await page.evaluate((limit) => vitrineRender.settle(limit), REST);
  const frame = viewFrame(page);
  if (frame) await drawn(frame);
}

/** Performs the user's steps. A failure is reported with the rest. */
async function use(page: Page, { steps, timeout }: RenderPlan): Promise<RenderCause | undefined> {
  const frame = viewFrame(page);
  if (!frame || steps.length === 0) return undefined;
  try {
    for (const step of steps) await act(frame, step, timeout, () => note(page, step));
    await rest(page);
    return undefined;
  } catch (error) {
    if (!told(error)) throw error;
    return causeOfError(error).cause;
  }
}

/** Collects everything about the app. */
async function finish(
  page: Page,
  plan: RenderPlan,
  turn: AppFacts,
  lines: ReturnType<typeof listenToConsole>,
  judge: (snapshot: RenderSnapshot, drawing: Drawing) => RenderCause | undefined,
): Promise<Rendered> {
  const frame = viewFrame(page);
  const before = await page.evaluate(() => vitrineRender.snapshot());
  // A failed app gets no extra time.
  const timeout = before.problem ? 0 : plan.timeout;
  const drawing: Drawing = frame ? await drawingOf(page, frame, timeout) : { text: "" };
  const { text } = drawing;
  // An unresponsive app cannot be drawn.
  const taken = turn.isPictured && text !== undefined ? await picture(page, plan.timeout) : undefined;
  const snapshot = withTextCompared(await page.evaluate(() => vitrineRender.snapshot()), drawing, plan);
  const { view, replay } = snapshot;
  const problem = snapshot.problem ?? (text === undefined ? SPINS : undefined);
  const trace = await traced(page, plan, turn, frame && drawing);
  const cause = problem ? causeOf(problem) : (judge(snapshot, drawing) ?? trace.cause);
  const result: RenderResult = {
    ok: cause === undefined,
    ...(cause && { cause }),
    server: turn.server.name ? turn.server : { name: snapshot.server, version: "" },
    tool: turn.tool || snapshot.tool,
    arguments: turn.arguments,
    resourceUri: snapshot.uri,
    ...(view && { view }),
    ...(snapshot.isStatic && { static: true }),
    timings: timingsOf(turn, snapshot),
    size: snapshot.size,
    text: text ?? "",
    console: lines(snapshot),
    csp: { policy: snapshot.policy, violations: snapshot.violations },
    messages: snapshot.messages,
    consents: snapshot.consents,
    ...(replay && { replay }),
    ...(trace.file !== undefined && { trace: trace.file }),
    ...(trace.redacted && { redacted: trace.redacted }),
  };
  return { result, picture: taken };
}

/** Adds differences in the shown text to those of a replay. With other steps, the text is not compared. */
function withTextCompared(
  snapshot: RenderSnapshot,
  { text, lack }: Drawing,
  { steps, ignoreText }: RenderPlan,
): RenderSnapshot {
  const { replay, recorded } = snapshot;
  const then = typeof recorded === "object" ? recorded.text : undefined;
  if (!replay || then === undefined || text === undefined || lack || ignoreText || steps.length > 0)
    return snapshot;
  const difference = textDifference(then, text);
  if (difference === undefined) return snapshot;
  return { ...snapshot, replay: { ...replay, differences: [...replay.differences, difference] } };
}

/** Writes the recording, if requested. Returns where it is, or why there is none. */
async function traced(
  page: Page,
  { redact }: RenderPlan,
  { trace: file, document }: AppFacts,
  drawing: Drawing | undefined,
): Promise<{ file?: string; redacted?: RenderResult["redacted"]; cause?: RenderCause }> {
  if (file === undefined) return {};
  const shown: RenderShown | undefined = drawing && { text: drawing.text ?? "", isDrawn: !drawing.lack };
  const trace = await page.evaluate(([kept, paths, seen]) => vitrineRender.trace(kept, paths, seen), [
    document,
    redact,
    shown,
  ] as const);
  // Without an app, there is already another problem.
  if (!trace) return {};
  if ("problem" in trace) return { cause: causeOf(trace.problem) };
  await save(file, trace.recording);
  if (redact.length === 0) return { file };
  return { file, redacted: redact.map((path, at) => ({ path, values: trace.redacted[at] ?? 0 })) };
}

function timingsOf({ startedAt, connectedAt }: AppFacts, { times }: RenderSnapshot): RenderTimings {
  const since = (at: number | undefined): number | null =>
    at === undefined ? null : Math.max(0, at - startedAt);
  return {
    connected: since(connectedAt),
    toolResult: since(times.toolResult),
    proxyReady: since(times.proxyReady),
    initialized: since(times.initialized),
    resultDelivered: since(times.resultDelivered),
    firstSize: since(times.firstSize),
  };
}

/**
 * Writes a file that the user named.
 *
 * @throws {CliError} `file-unwritable`
 */
export async function save(file: string, data: string | Uint8Array): Promise<void> {
  try {
    await writeFile(file, data);
  } catch (cause) {
    throw new CliError("file-unwritable", `${file} cannot be written: ${Object(cause).code ?? cause}`, {
      cause,
    });
  }
}
