/** The tests that docs/servers/README.md shows pass, in a folder made as the guide says. */
import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The part of Vitest's JSON report that is used here. */
interface Report {
  numPassedTests?: number;
  testResults?: { assertionResults: { failureMessages: string[] }[] }[];
}

it("the guide's own tests pass", () => {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-guide-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(ROOT, "examples/servers"), folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  // Without one, Vitest takes the configuration of a folder above.
  writeFileSync(join(folder, "vitest.config.js"), "export default {};");
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"), "junction");
  copyFileSync(join(folder, "node_modules/@vitrine/view/dist/vitrine.js"), join(folder, "view/vitrine.js"));
  // No test is about time: jsdom alone loads for seconds on a busy machine.
  const limits = ["--testTimeout", "120000"];
  const vitest = [join(ROOT, "node_modules/vitest/vitest.mjs"), "run", "--reporter", "json", ...limits];
  const { stdout, stderr } = spawnSync(process.execPath, vitest, { cwd: folder, encoding: "utf8" });
  const { numPassedTests, testResults } = JSON.parse(stdout.slice(stdout.indexOf("{")) || "{}") as Report;
  const failures = testResults?.flatMap(({ assertionResults }) =>
    assertionResults.flatMap(({ failureMessages }) => failureMessages),
  );
  expect({ numPassedTests, failures }, stderr).toEqual({ numPassedTests: 2, failures: [] });
});
