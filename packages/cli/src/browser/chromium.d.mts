/**
 * The path of a Chromium that runs: `$CHROMIUM`, one on the PATH or in its usual place, or Playwright's own.
 *
 * @throws {Error} when `$CHROMIUM` is set and does not run
 */
export function findChromium(): string | undefined;
/** For a browser that nobody sees, and that asks nobody for anything by itself. */
export const CHROMIUM_ARGS: readonly string[];
/** Chromium refuses to start its own sandbox for root; for anybody else it stays: pages are not to be trusted. */
export function sandboxArgs(): string[];
