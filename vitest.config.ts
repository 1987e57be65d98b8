import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const browser = "**/*.browser.test.{ts,tsx}";
// A slow machine is not a failure: waits are long, and no test is about time.
const poll = { timeout: 60_000, interval: 50 };

/**
 * Vitest begins with the files that took longest, or where it never saw them run with the largest. These take longer than
 * their size tells: else they are at work when all others are done, and the machine is idle.
 */
const LONG =
  /packages\/unused|faults\/gateway-process|carriers\/http\.test|gateway\/src\/acceptance|render\.browser|drawing\.browser|new(-pnpm)?\.browser|own-packages|isolation-d/;

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((each) => !isLong(each))];
  }
}

/** `npm run test:quick` leaves out tests that start programs, gateways or bundlers, and those that take long. */
const SLOW =
  /\b(spawn|exec|fork|execFile|execFileSync|startGateway|startTestGateway|esbuild|StdioClientTransport)\b|[sS]tage\b|postgres/;
const LONG_UNIT =
  /^testing\/|conversations\.test|commands|examples\.test|cross-session|-faults|budget|isolation\//;
const slow =
  process.env["VITRINE_TESTS"] === "quick"
    ? execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.test.ts"], {
        encoding: "utf8",
      })
        .trim()
        .split("\n")
        .filter((path) => LONG_UNIT.test(path) || SLOW.test(readFileSync(path, "utf8")))
    : [];

/** It takes as long as it is told to: `npm run soak`. */
const soak = process.env["VITRINE_SOAK"] ? [] : ["testing/cluster/soak.test.ts"];

/** They take minutes, and depend on the browser's drawing: `npm run pictures`. */
const pictures = process.env["VITRINE_PICTURES"]
  ? []
  : ["packages/workbench/src/ui/screens/screens.browser.test.ts"];

/** `npm test` lists the tests that passed only when they were repeated. */
const retry = 1;

/** Packages as they were built, Node loads by itself: only what a test is about, and the test, is transformed. */
const server = { deps: { external: [/\/packages\/[^/]+\/dist\//] } };

export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    projects: [
      {
        test: {
          name: "unit",
          include: ["packages/*/src/**/*.test.ts", "testing/**/*.test.ts", "examples/demos/*.test.ts"],
          // Other browsers than Chromium: `npm run test:engines`.
          exclude: [browser, "testing/engines/**", ...soak, ...slow],
          expect: { poll },
          retry,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // Many of them wait for other processes most of the time.
          maxWorkers: 5,
          // What they import is loaded once in each worker: a third of their work otherwise.
          isolate: false,
          server,
          setupFiles: ["./testing/leave-no-trace.ts"],
        },
      },
      {
        test: {
          name: "browser",
          include: [`packages/*/src/${browser}`, `examples/${browser}`],
          exclude: pictures,
          // To ask a browser is work for the machine that is waited for: it is not done all the time.
          expect: { poll: { ...poll, interval: 150 } },
          retry,
          testTimeout: 180_000,
          hookTimeout: 180_000,
          // They wait most of the time: for frames, or to see that something does not happen.
          maxWorkers: 3,
          // What they share is loaded once in each worker, the browser's driver above all; and so is the browser.
          isolate: false,
          server,
          environment: "./testing/browser-environment.ts",
          // After the unit tests: browsers want the machine for themselves.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
