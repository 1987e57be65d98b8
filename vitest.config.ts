import { defineConfig } from "vitest/config";

const browser = "**/*.browser.test.{ts,tsx}";
// No test is about time; a slow machine is not a failure. What is waited for is waited for this long.
const poll = { timeout: 60_000, interval: 50 };

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["packages/*/src/**/*.test.ts", "testing/**/*.test.ts"],
          exclude: [browser],
          expect: { poll },
          testTimeout: 120_000,
          // Many of them wait for processes most of the time.
          maxWorkers: 4,
        },
      },
      {
        test: {
          name: "browser",
          include: [`packages/*/src/${browser}`, `examples/${browser}`],
          expect: { poll },
          testTimeout: 180_000,
          hookTimeout: 180_000,
          // Half of the time they wait: for frames, for what must not happen.
          maxWorkers: 3,
          // What they share is loaded once in each worker, the browser's driver above all.
          isolate: false,
          // After the unit tests: browsers want the machine for themselves.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
