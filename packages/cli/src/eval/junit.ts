/**
 * The report as JUnit XML: a test case for each case with each model, so that it fails exactly when the command does.
 *
 * @module
 */
import type { CellReport, EvalReport, RunReport } from "./eval-report.js";

/** Characters that XML cannot express, not even escaped. */
const FORBIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters.
  /[^\u0009\u000a\u000d\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

const escaped = (text: string): string =>
  text.replace(FORBIDDEN, "\ufffd").replace(/[&<>"'\n\r\t]/g, (character) => `&#${character.charCodeAt(0)};`);

const tag = (
  name: string,
  fields: Readonly<Record<string, string | number>>,
  inside: readonly string[] = [],
): string => {
  const written = Object.entries(fields).map(([key, value]) => ` ${key}="${escaped(`${value}`)}"`);
  const start = `<${name}${written.join("")}`;
  return inside.length === 0 ? `${start}/>` : `${start}>${inside.join("\n")}</${name}>`;
};

const seconds = (milliseconds: number): string => (milliseconds / 1_000).toFixed(3);

/** The text of the file. */
export function junitXml({ file, results, time, minRate }: EvalReport): string {
  const models = [...new Set(results.map(({ model }) => model))];
  const suites = models.map((model) => {
    const own = results.filter((each) => each.model === model);
    return tag(
      "testsuite",
      { name: model, ...counts(own, minRate) },
      own.map((cell) => testCase(file, cell, minRate)),
    );
  });
  const all = { name: file, ...counts(results, minRate), time: seconds(time) };
  return `<?xml version="1.0" encoding="UTF-8"?>\n${tag("testsuites", all, suites)}\n`;
}

/** `error` if a run could not be judged, `failure` if the rate is too low. */
function kindOf(
  { ok, errors, rate, missing }: CellReport,
  minRate: number,
): "error" | "failure" | "skipped" | undefined {
  if (ok) return undefined;
  if (rate !== undefined && rate < minRate) return "failure";
  if (errors > 0) return "error";
  return missing > 0 ? "skipped" : "failure";
}

function counts(cells: readonly CellReport[], minRate: number): Record<string, number> {
  const kinds = cells.map((cell) => kindOf(cell, minRate));
  const count = (kind: string): number => kinds.filter((each) => each === kind).length;
  return {
    tests: cells.length,
    failures: count("failure"),
    errors: count("error"),
    skipped: count("skipped"),
  };
}

function testCase(file: string, cell: CellReport, minRate: number): string {
  const kind = kindOf(cell, minRate);
  const lines = cell.runs.map(runText);
  const judged = cell.passed + cell.failed;
  const message =
    kind === "skipped"
      ? `${cell.missing} runs were not begun: the command was interrupted`
      : kind === "error"
        ? `${cell.errors} of ${cell.runs.length} runs could not be judged`
        : `${cell.passed} of ${judged} runs were as expected; the minimum rate is ${minRate}`;
  const why = kind && tag(kind, { message }, kind === "skipped" ? [] : lines.map(escaped));
  const out = lines.length > 0 ? tag("system-out", {}, lines.map(escaped)) : undefined;
  const time = seconds(cell.runs.reduce((so, each) => so + each.time, 0));
  const inside = [why, kind ? undefined : out].filter((each) => each !== undefined);
  return tag("testcase", { classname: file, name: `${cell.case} (${cell.model})`, time }, inside);
}

function runText({ run, outcome, reasons, error, recording }: RunReport): string {
  const why = error ? `${error.code}: ${error.message}` : reasons.join("; ");
  const kept = recording === undefined ? "" : ` [${recording}]`;
  return `run ${run}: ${outcome}${why === "" ? "" : `: ${why}`}${kept}`;
}
