/**
 * `vitrine render`: shows apps in a browser that nobody sees, and says what happened.
 *
 * @module
 */
import { surroundings } from "../config-places.js";
import { EXIT } from "../exit.js";
import { aborted, interruptible } from "../signals.js";
import { oneLine, Terminal } from "../terminal.js";
import { causeOfError } from "./cause.js";
import { printReport, printResult } from "./print-result.js";
import type { RenderOptions } from "./render-options.js";
import { planOf } from "./render-plan.js";
import { type KnownBefore, type RenderReport, type RenderResult, unrendered } from "./render-result.js";
import type { StageOptions } from "./stage.js";

/** What tests put in place of what this process has. */
export interface RenderSurroundings extends StageOptions {
  readonly terminal?: Terminal | undefined;
  /** Ends the process that something keeps from ending. */
  readonly exit?: ((code: number) => void) | undefined;
}

/** Milliseconds that what was printed gets to be read, when the process does not end by itself. */
const LAST_WORDS = 1_000;

/**
 * Renders; returns the exit code: 0 when every app was there and had its result, 1 when not, 2 when the command line is
 * wrong.
 */
export async function renderCommand(
  server: string,
  options: RenderOptions,
  at: RenderSurroundings = {},
): Promise<number> {
  const { terminal = new Terminal() } = at;
  let known: KnownBefore = { server: { name: server, version: "" } };
  let outcome: RenderResult | RenderReport;
  let exit: number = EXIT.ok;
  const left: string[] = [];
  try {
    const onknown = (more: Partial<KnownBefore>): void => {
      known = { ...known, ...more };
    };
    const onleft = (problems: readonly string[]): void => void left.push(...problems);
    outcome = await run(server, options, { ...at, terminal }, onknown, onleft);
    if (!outcome.ok) exit = EXIT.failed;
  } catch (error) {
    const failed = causeOfError(error);
    ({ exit } = failed);
    const isSeveral = options.all === true || (options.tool ?? []).length > 1;
    outcome = isSeveral
      ? { ok: false, cause: failed.cause, server: known.server, results: [], skipped: [] }
      : unrendered(options.tool?.[0] ?? "", known, failed.cause);
  }
  if (options.json) terminal.json(outcome);
  else if ("results" in outcome) printReport(terminal, outcome);
  else printResult(terminal, outcome);
  for (const problem of left) terminal.note(oneLine(problem));
  // What does not end keeps the process: it ends all the same, and the gateway's watchdog ends what it had started.
  if (left.length > 0) setTimeout(at.exit ?? process.exit, LAST_WORDS, exit).unref();
  return exit;
}

/** Opens the stage, and closes it whatever happens: nothing that was started is left. */
function run(
  server: string,
  options: RenderOptions,
  at: RenderSurroundings & { readonly terminal: Terminal },
  onknown: (more: Partial<KnownBefore>) => void,
  onleft: (problems: readonly string[]) => void,
): Promise<RenderResult | RenderReport> {
  const startedAt = Date.now();
  const plan = planOf(options);
  return interruptible(async (signal) => {
    // Loaded now, with the gateway: a command line that is wrong is told at once.
    const [{ jsonArguments }, { FileTrust }, { ServerArguments }, { Stage }, runs] = await Promise.all([
      import("../call-arguments.js"),
      import("../trust/file-trust.js"),
      import("../server-argument.js"),
      import("./stage.js"),
      import("./render-run.js"),
    ]);
    // Before anything is started: what is wrong with it is wrong with any server.
    const given = plan.args === undefined ? undefined : await jsonArguments(plan.args);
    const place = surroundings();
    const trust = new FileTrust({ terminal: at.terminal, at: place, signal });
    const servers = new ServerArguments(options, place, trust, (sentence) => {
      if (!options.json) at.terminal.note(sentence);
    });
    const settings = server === "" ? undefined : await servers.findOne(server);
    const stage = new Stage(settings, plan, at);
    // A script that reads stderr is not told how far it is.
    const waiting = process.stderr.isTTY ? at.terminal.waiting("starting") : undefined;
    const onstep = (step: string): void => waiting?.say(step);
    try {
      const { replay } = plan;
      const tools = { plan, given, stage, startedAt, onstep, onknown };
      const work = replay === undefined ? runs.renderApps(tools) : runs.replayApp(tools, replay);
      // What it still does when it is stopped fails with what is closed under it.
      work.catch(() => {});
      const stopped = aborted(signal).then(() => Promise.reject(signal.reason));
      return await Promise.race([work, stopped]);
    } finally {
      waiting?.end();
      onleft(await stage.close());
    }
  });
}
