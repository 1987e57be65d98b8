/**
 * Servers hold more than a library: an author's own modules and data. They determine whether V8's first full
 * collection comes before the first answer or after it, and 200 KB more or less change a start by up to 10
 * %. So each server is started with different amounts.
 *
 * @module
 */
import { fileURLToPath } from "node:url";

/** Kilobytes of small objects that the server holds in addition. */
export const HELD = [0, 300, 600, 900, 1200, 1500, 1800, 2100];

/** Node arguments that go before the path of a server, so that it holds as much as {@link holding} says. */
export const HOLD = ["--import", fileURLToPath(new URL("hold.mjs", import.meta.url))];

/** Environment variables of that server. */
export const holding = (kilobytes) => ({ BENCH_HELD: String(kilobytes) });
