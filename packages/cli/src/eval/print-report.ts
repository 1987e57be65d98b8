/**
 * Prints the report: a table of rates, and a line for each run that was not as expected.
 *
 * @module
 */
import { table } from "../table.js";
import { oneLine, type Terminal } from "../terminal.js";
import type { CellReport, EvalReport, RunReport } from "./eval-report.js";
import type { KnownUsage } from "./evidence.js";

const UNKNOWN = "unknown";

/** Prints the report to stdout. */
export function printReport(terminal: Terminal, report: EvalReport): void {
  const { results, passed, failed, errors, missing, usage, time, minRate } = report;
  const rows = results.map((cell) => [
    mark(cell),
    cell.case,
    cell.model,
    rateText(cell.passed, cell.passed + cell.failed),
    `${cell.errors}`,
    tokenText(cell.usage),
    costText(cell.usage.cost),
    cell.time === undefined ? "–" : `${(cell.time / 1_000).toFixed(1)} s`,
  ]);
  const head = ["", "case", "model", "as expected", "errors", "tokens in / out", "cost", "mean time"];
  const total = [
    "",
    "all",
    "",
    rateText(passed, passed + failed),
    `${errors}`,
    tokenText(usage),
    costText(usage.cost),
    `${(time / 1_000).toFixed(1)} s in all`,
  ];
  const [first = "", ...lines] = table([head, ...rows, total], terminal.columns);
  terminal.print(terminal.bold(first));
  for (const line of lines) terminal.print(line.startsWith("✗") ? terminal.red(line) : line);
  const bad = results.flatMap((cell) => cell.runs.filter(isBad).map((run) => ({ cell, run })));
  if (bad.length > 0) terminal.print("");
  for (const { cell, run } of bad) printRun(terminal, cell, run);
  printDenials(terminal, report);
  printAdvice(terminal, report);
  if (missing > 0) terminal.print(`${missing} runs were not done: the command was interrupted.`);
  if (minRate < 1) terminal.print(terminal.dim(`minimum rate: ${percent(minRate)}`));
}

const isBad = ({ outcome }: RunReport): boolean => outcome !== "passed";
/** A dash if nothing is known yet. */
const mark = ({ ok, failed, errors }: CellReport): string => (ok ? "✓" : failed + errors > 0 ? "✗" : "–");
const percent = (rate: number): string => `${Number((rate * 100).toFixed(1))} %`;

const rateText = (passed: number, judged: number): string =>
  judged === 0 ? "–" : `${passed}/${judged} ${percent(passed / judged)}`;

const tokenText = ({ input, output }: KnownUsage): string =>
  input === undefined || output === undefined
    ? UNKNOWN
    : `${input.toLocaleString("en")} / ${output.toLocaleString("en")}`;

/** A cost that is not known is never shown as zero. */
export function costText(cost: number | undefined): string {
  if (cost === undefined) return UNKNOWN;
  if (cost === 0) return "$0";
  return cost < 0.01 ? `$${Number(cost.toPrecision(2))}` : `$${cost.toFixed(2)}`;
}

function printRun(terminal: Terminal, cell: CellReport, { run, reasons, error, recording }: RunReport): void {
  const which = `${cell.case} · ${cell.model} · run ${run}`;
  const why = error ? `could not be judged: ${error.message} (${error.code})` : reasons.join("; ");
  terminal.print(`${terminal.red(error ? "!" : "✗")} ${oneLine(`${which}: ${why}`)}`);
  if (recording !== undefined) terminal.print(terminal.dim(`  ${oneLine(recording)}`));
}

/** A denied call is a common reason for a failure, and its remedy is one line in the file. */
function printDenials(terminal: Terminal, { results }: EvalReport): void {
  const denied = new Map<string, string | undefined>();
  for (const { runs } of results)
    for (const run of runs) for (const { what, allow } of run.denied) denied.set(what, allow);
  for (const [what, allow] of denied) {
    const remedy = allow === undefined ? "" : `; to allow it, write "${allow}" under allow in the file`;
    terminal.print(oneLine(`denied: ${what}${remedy}`));
  }
}

function printAdvice(terminal: Terminal, { results }: EvalReport): void {
  const runs = results.flatMap((each) => each.runs);
  if (!runs.some(isBad)) return;
  const isKept = runs.some(({ recording }) => recording !== undefined);
  terminal.print(
    terminal.dim(
      isKept
        ? "To look at a run: start vitrine dev, and drop its recording into the page."
        : "To look at the runs, keep them with --recordings FOLDER.",
    ),
  );
}
