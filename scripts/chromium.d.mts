/** The path of a Chromium on this machine, if there is one. */
export function findChromium(): string | undefined;
/** As `findChromium`, but installs one when there is none. */
export function ensureChromium(): string;
/** How tests and measurements start it. */
export const CHROMIUM_ARGS: readonly string[];
/** Chromium without a window, of the same version; undefined where there is none. */
export declare function findHeadlessShell(): string | undefined;
