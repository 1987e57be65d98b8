/**
 * `npm test`: build, lint and all tests. Ends with `N passed, N failed`.
 *
 * - Arguments go to vitest: `npm test -- csp` runs the tests whose file name has "csp".
 * - `npm test -w @vitrine/host` runs the tests of one package, without lint.
 * - `npm run test:quick` runs the unit tests that start no other program, without lint.
 * - `npm run test:engines` runs the tests in Firefox and WebKit, without lint.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { REQUIREMENTS, showRequirements } from "./requirements.mjs";

let passed = 0;
let failed = 0;

const root = fileURLToPath(new URL("..", import.meta.url));
/** npm runs the script of a package in its folder. */
const own = relative(root, process.cwd()).split(sep).join("/");
process.chdir(root);
const isQuick = process.argv.includes("--quick");
const isEngines = process.argv.includes("--engines");
const filters = [
  ...(own ? [`${own}/`] : []),
  ...(isQuick ? ["--project", "unit"] : []),
  ...(isEngines ? ["--config", "testing/engines/vitest.config.ts"] : []),
  ...process.argv.slice(2).filter((argument) => argument !== "--quick" && argument !== "--engines"),
];
if (isQuick) process.env.VITRINE_TESTS = "quick";

const shell = process.platform === "win32";

/** Runs a command. Returns its exit code, and its output if that is not shown at once. */
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

/**
 * Node reads all certificates of `NODE_EXTRA_CA_CERTS` whenever it starts, for 100 ms of processor time. Tests start more than
 * a thousand Node processes; only package managers get the file, as a setting of their own.
 */
function environment() {
  const { NODE_EXTRA_CA_CERTS: authorities, ...rest } = process.env;
  return authorities ? { ...rest, VITRINE_TESTS_CAFILE: authorities } : rest;
}

function tests() {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-tests-"));
  const report = join(folder, "report.json");
  console.log("\n— tests: vitest run");
  const { status } = spawnSync(
    "npx",
    ["vitest", "run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`, ...filters],
    { stdio: "inherit", shell, env: environment() },
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
    const flaky = testResults.flatMap(({ assertionResults }) =>
      assertionResults.filter(
        ({ status, failureMessages }) => status === "passed" && failureMessages.length > 0,
      ),
    );
    if (flaky.length > 0) console.log("\n— passed only when repeated");
    for (const { fullName, failureMessages } of flaky)
      console.log(`${fullName}\n  ${failureMessages[0]?.split("\n")[0]}`);
    // Only a complete run can prove all requirements.
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

// Programs are installed during the build: the installation waits for the network, the build does not.
const installing = isQuick
  ? { code: 0, said: "" }
  : run(process.execPath, [`scripts/${isEngines ? "engines" : "programs"}.mjs`], "pipe").catch(
      ({ message }) => ({
        code: 1,
        said: message,
      }),
    );
const isBuilt = await check("build", "npm", ["run", "--silent", "build"]);
if (isBuilt && !own && !isQuick && !isEngines) await check("lint", "npm", ["run", "--silent", "lint"]);
const { code, said } = await installing;
if (!isQuick) console.log(`\n— programs that tests need\n${said.trimEnd()}`);
if (code !== 0) {
  failed++;
  filters.push("--project", "unit");
}
// Without their browsers, none of the tests in other engines can run.
if (isBuilt && !(isEngines && code !== 0)) tests();
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
