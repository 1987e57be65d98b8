/**
 * Servers hold more than a library: an author's own modules and data. Where V8's first full collection falls depends on that,
 * before the first answer or after it, and 200 KB more or less are up to 10 % of a start. So each server is started with more
 * and less of it.
 *
 * @module
 */
import { fileURLToPath } from "node:url";

/** Kilobytes of small objects that are held besides. */
export const HELD = [0, 300, 600, 900, 1200, 1500, 1800, 2100];

/** For Node, before the path of a server: it holds as much as {@link holding} says. */
export const HOLD = ["--import", fileURLToPath(new URL("hold.mjs", import.meta.url))];

/** For the environment of that server. */
export const holding = (kilobytes) => ({ BENCH_HELD: String(kilobytes) });
