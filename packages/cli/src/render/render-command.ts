/**
 * `vitrine render`: renders apps in a headless browser, and reports the outcome.
 *
 * @module
 */
import { surroundings } from "../config-places.js";
import { EXIT } from "../exit.js";
import { interruptible, unlessAborted } from "../signals.js";
import { oneLine, Terminal } from "../terminal.js";
import { causeOfError } from "./cause.js";
import { printReport, printResult } from "./print-result.js";
import type { RenderOptions } from "./render-options.js";
import { planOf } from "./render-plan.js";
import { type KnownBefore, type RenderReport, type RenderResult, unrendered } from "./render-result.js";
import type { StageOptions } from "./stage.js";

/** Replacements for tests. */
export interface RenderSurroundings extends StageOptions {
  readonly terminal?: Terminal | undefined;
  /** Exits a process that does not end by itself. */
  readonly exit?: ((code: number) => void) | undefined;
}

/** Milliseconds for output to be flushed, if the process does not end by itself. */
const LAST_WORDS = 1_000;

/**
 * Renders. Returns the exit code: 0 if every app started and got its result, 1 if not, 2 for an invalid
 * command line.
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
  // If something does not close, exit anyway; the gateway's watchdog ends its processes.
  if (left.length > 0) setTimeout(at.exit ?? process.exit, LAST_WORDS, exit).unref();
  return exit;
}

/** Opens the stage, and always closes it. */
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
    // Loaded late, with the gateway, so that an invalid command line fails fast.
    const [{ jsonArguments }, { FileTrust }, { ServerArguments }, { Stage }, { renderApps, replayApp }] =
      await Promise.all([
        import("../call-arguments.js"),
        import("../trust/file-trust.js"),
        import("../server-argument.js"),
        import("./stage.js"),
        import("./render-run.js"),
      ]);
    // Checked before anything is started: an error in it does not depend on the server.
    const given = plan.args === undefined ? undefined : await jsonArguments(plan.args);
    const place = surroundings();
    const trust = new FileTrust({ terminal: at.terminal, at: place, signal });
    const servers = new ServerArguments(options, place, trust, (sentence) => {
      if (!options.json) at.terminal.note(sentence);
    });
    const settings = server === "" ? undefined : await servers.findOne(server);
    const stage = new Stage(settings, plan, at);
    // Progress is only for interactive terminals.
    const waiting = process.stderr.isTTY ? at.terminal.waiting("starting") : undefined;
    const onstep = (step: string): void => waiting?.say(step);
    try {
      const { replay } = plan;
      const tools = { plan, given, stage, startedAt, onstep, onknown };
      const work = replay === undefined ? renderApps(tools) : replayApp(tools, replay);
      // After a stop, remaining work fails because its resources are closed.
      return await unlessAborted(signal, work);
    } finally {
      waiting?.end();
      onleft(await stage.close());
    }
  });
}
