import { defineConfig } from "vitest/config";

const browser = "**/*.browser.test.{ts,tsx}";

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["packages/*/src/**/*.test.ts", "testing/**/*.test.ts"],
          exclude: [browser],
          // No test is about time; a slow machine is not a failure.
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: "browser",
          include: [`packages/*/src/${browser}`, `examples/${browser}`],
          testTimeout: 90_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
          // After the unit tests: browsers want the machine for themselves.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
