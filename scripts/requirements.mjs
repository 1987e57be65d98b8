/**
 * Shows which tests prove which requirement: reads the ids of docs/requirements.md and a report of vitest,
 * and prints a table. A row of an enforced part without a test, or with a failing one, is a failure.
 *
 * `node scripts/requirements.mjs report.json`, after `npx vitest run --reporter=json --outputFile=report.json`
 */
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

/** The parts whose rows must all have a test. */
const ENFORCED = /^[RCSLIXAT]/;

/** The ids of the requirements, in order. */
export function readIds(markdown) {
  return [...markdown.matchAll(/^\| ([A-Z]\d\d) \|/gm)].map(([, id]) => id);
}

/** The ids at the beginning of a test's name: `L08: …`, `L08, D12: …`. Ids of attacks do not count. */
export function idsOf(title) {
  const [head = ""] = /^[A-Z]\d+\b(?:(?:,? |, and | and )[A-Z]\d+\b)*/.exec(title) ?? [];
  return head.match(/[A-Z]\d+/g) ?? [];
}

/** Passed and failed tests of each requirement. */
export function count(ids, report) {
  const rows = new Map(ids.map((id) => [id, { passed: 0, failed: 0 }]));
  for (const { assertionResults } of report.testResults) {
    for (const { title, status } of assertionResults) {
      for (const id of idsOf(title)) {
        const row = rows.get(id);
        if (row) row[status === "passed" ? "passed" : "failed"]++;
      }
    }
  }
  return rows;
}

/** Prints the table; returns the ids that are not proved. */
export function showRequirements(report, markdown) {
  const rows = [...count(readIds(markdown), report)];
  const unproved = rows.filter(
    ([id, { passed, failed }]) => ENFORCED.test(id) && (passed === 0 || failed > 0),
  );
  const cells = rows.map(([id, { passed, failed }]) =>
    `${id} ${failed ? `${failed} failed` : passed || "none"}`.padEnd(14),
  );
  while (cells.length > 0) console.log(`  ${cells.splice(0, 7).join("").trimEnd()}`);
  const ids = unproved.map(([id]) => id);
  console.log(ids.length > 0 ? `Not proved: ${ids.join(", ")}` : "Every requirement has its tests.");
  return ids;
}

export const REQUIREMENTS = new URL("../docs/requirements.md", import.meta.url);

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const report = JSON.parse(readFileSync(process.argv[2] ?? "report.json", "utf8"));
  process.exitCode = showRequirements(report, readFileSync(REQUIREMENTS, "utf8")).length > 0 ? 1 : 0;
}
