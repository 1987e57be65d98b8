/**
 * `@vitrine/servers/support`: small utilities that Vitrine's own packages for Node share. They may change in any release.
 *
 * @module
 */
export { backoff, type Clock, systemClock } from "./clock.js";
export { closest, meant } from "./closest.js";
export { messageOf } from "./message-of.js";
export { readPrivate, writePrivate } from "./private-file.js";
export { secondsToWait } from "./retry-after.js";
export { REMOVED, scrub } from "./scrub.js";
export { onStopSignals, type SignalHandlers, type StopSignal } from "./stop-signals.js";
export { type PathWatch, type WatchPathsOptions, watchPaths } from "./watch-paths.js";
