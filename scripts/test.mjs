/**
 * `npm test`: everything that must hold, in one command. Ends with `N passed, N failed`.
 *
 * Arguments go to vitest: `npm test -- csp` runs the tests whose file name has "csp", after build and lint.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { REQUIREMENTS, showRequirements } from "./requirements.mjs";

let passed = 0;
let failed = 0;

const shell = process.platform === "win32";

/** Runs a command; with its exit code, and what it said if that is not to be seen at once. */
async function run(command, args, stdio = "inherit") {
  const child = spawn(command, args, { stdio: ["ignore", stdio, stdio], shell });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text) => {
      said += text;
    });
  }
  const [code] = await once(child, "close");
  return { code, said };
}

/** Runs one command as one check. */
async function check(name, command, args) {
  console.log(`\n— ${name}: ${command} ${args.join(" ")}`);
  const { code } = await run(command, args);
  if (code === 0) passed++;
  else failed++;
  return code === 0;
}

function tests(filters) {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-tests-"));
  const report = join(folder, "report.json");
  console.log("\n— tests: vitest run");
  const { status } = spawnSync(
    "npx",
    ["vitest", "run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`, ...filters],
    { stdio: "inherit", shell },
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

// Programs are installed while the machine builds: the one waits for the network, the other does not.
const installing = run(process.execPath, ["scripts/programs.mjs"], "pipe").catch(({ message }) => ({
  code: 1,
  said: message,
}));
const isBuilt = await check("build", "npm", ["run", "--silent", "build"]);
if (isBuilt) await check("lint", "npm", ["run", "--silent", "lint"]);
const { code, said } = await installing;
console.log(`\n— programs that tests need\n${said.trimEnd()}`);
if (code !== 0) failed++;
if (isBuilt) tests([...(code === 0 ? [] : ["--project", "unit"]), ...process.argv.slice(2)]);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
