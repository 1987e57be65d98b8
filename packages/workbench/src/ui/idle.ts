/**
 * Idle moments of the page.
 *
 * @module
 */

/** Milliseconds to wait for an idle moment, and for the next one in a browser that does not report them. */
const LONGEST = 2_000;
const PAUSE = 200;

/** Resolves when the page is idle, or after two seconds. */
export const idle = (): Promise<unknown> =>
  new Promise((resolve) => {
    if ("requestIdleCallback" in globalThis) requestIdleCallback(resolve, { timeout: LONGEST });
    else setTimeout(resolve, PAUSE);
  });
