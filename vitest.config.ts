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
        },
      },
      {
        test: {
          name: "browser",
          include: [`packages/*/src/${browser}`],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
        },
      },
    ],
  },
});
