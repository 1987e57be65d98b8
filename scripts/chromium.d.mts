/** The path of a Chromium on this machine, if there is one. */
export function findChromium(): string | undefined;
/** Same as `findChromium`, but installs one if there is none. */
export function ensureChromium(): string;
/** Launch options of tests and measurements. */
export const CHROMIUM_ARGS: readonly string[];
/** The headless shell of the same Chromium version; undefined if there is none. */
export declare function findHeadlessShell(): string | undefined;
