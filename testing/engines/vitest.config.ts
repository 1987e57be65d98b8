import { defineConfig } from "vitest/config";

/** `npm run test:engines`: needs other browsers than Chromium, so `npm test` leaves these tests out. */
export default defineConfig({
  test: {
    include: ["testing/engines/*.test.ts"],
    // A slow machine is not a failure.
    expect: { poll: { timeout: 60_000, interval: 250 } },
    testTimeout: 180_000,
    hookTimeout: 180_000,
    fileParallelism: false,
  },
});
