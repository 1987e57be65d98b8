/**
 * The path of a working Chromium: `$CHROMIUM`, one on the PATH or in its usual location, or Playwright's own.
 *
 * @throws {Error} if `$CHROMIUM` is set but does not run
 */
export function findChromium(): string | undefined;
/** Arguments for a headless browser that makes no network requests of its own. */
export const CHROMIUM_ARGS: readonly string[];
/**
 * Chromium refuses to start its own sandbox for root. For other users the sandbox stays on, because pages are
 * untrusted.
 */
export function sandboxArgs(): string[];
