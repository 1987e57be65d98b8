/**
 * `npm test`: everything that must hold, in one command. Ends with `N passed, N failed`.
 *
 * Arguments go to vitest: `npm test -- csp` runs the tests whose file name has "csp", after build and lint.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureBubblewrap } from "./bubblewrap.mjs";
import { ensureChromium, ensureHeadlessShell } from "./chromium.mjs";
import { ensurePostgres } from "./postgres.mjs";
import { REQUIREMENTS, showRequirements } from "./requirements.mjs";

let passed = 0;
let failed = 0;

/** Runs one command as one check. */
function check(name, command, args) {
  console.log(`\n— ${name}: ${command} ${args.join(" ")}`);
  const ok = spawnSync(command, args, { stdio: "inherit", shell: process.platform === "win32" }).status === 0;
  if (ok) passed++;
  else failed++;
  return ok;
}

function tests(filters) {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-tests-"));
  const report = join(folder, "report.json");
  console.log("\n— tests: vitest run");
  const { status } = spawnSync(
    "npx",
    ["vitest", "run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`, ...filters],
    { stdio: "inherit", shell: process.platform === "win32" },
  );
  try {
    const results = JSON.parse(readFileSync(report, "utf8"));
    const { numPassedTests, numFailedTests, testResults } = results;
    // A file that fails to load has no tests that fail.
    const broken = testResults.filter(
      (file) => file.status === "failed" && file.assertionResults.length === 0,
    );
    passed += numPassedTests;
    failed += numFailedTests + broken.length;
    if (numPassedTests + numFailedTests === 0) failed++;
    if (status !== 0 && numFailedTests + broken.length === 0) failed++;
    // Only a whole run can prove all of them.
    if (filters.length === 0) {
      console.log("\n— requirements, and how many tests prove each");
      if (showRequirements(results, readFileSync(REQUIREMENTS, "utf8")).length > 0) failed++;
      else passed++;
    }
  } catch {
    failed++;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

let projects = [];
try {
  console.log(`— browser: ${ensureChromium()}`);
  console.log(
    `— without a window: ${ensureHeadlessShell() ?? "none; the whole browser does its work, and takes longer"}`,
  );
} catch (error) {
  console.error(`${error.message}\nThe browser tests are not run: one failure.`);
  failed++;
  projects = ["--project", "unit"];
}
// What needs these is skipped without them, and says so.
console.log(`— bubblewrap: ${ensureBubblewrap() ?? "none; its tests are skipped"}`);
console.log(`— PostgreSQL: ${ensurePostgres() ?? "none; its tests are skipped"}`);
if (check("build", "npm", ["run", "--silent", "build"])) {
  check("lint", "npm", ["run", "--silent", "lint"]);
  tests([...projects, ...process.argv.slice(2)]);
}
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
