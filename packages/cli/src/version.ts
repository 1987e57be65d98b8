/**
 * The version of this package.
 *
 * @module
 */
import { readFileSync } from "node:fs";

const about: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

/** The version of this package. */
export const VERSION = String(Object(about)["version"]);
