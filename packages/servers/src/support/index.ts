/**
 * `@vitrine/servers/support`: small utilities that Vitrine's own packages for Node share. They may change in any release.
 *
 * @module
 */
export { backoff, type Clock, systemClock } from "./clock.js";
export { Listeners } from "./listeners.js";
export { readPrivate, writePrivate } from "./private-file.js";
export { secondsToWait } from "./retry-after.js";
