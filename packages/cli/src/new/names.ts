/**
 * Names of projects, tools and views.
 *
 * @module
 */
import { builtinModules } from "node:module";
import { type CliError, usage } from "../exit.js";

/** The maximum length in npm. */
const MAX_PROJECT = 214;
/** The maximum length in `@vitrine/server` for a tool or a view. */
const MAX_FOLDER = 100;
const RESERVED = new Set(["node_modules", "favicon.ico", ...builtinModules]);

/**
 * Checks a project's name, which is also that of its folder, package and server.
 *
 * @throws {CliError} `usage`
 */
export function checkProjectName(name: string): void {
  if (/[/\\]/.test(name))
    throw wrong("a project", name, "a path: go to the parent folder, and give only the name");
  if (!/^[a-z0-9][a-z0-9._-]*$/.test(name) || name.length > MAX_PROJECT) {
    const like = suggestion(name);
    const hint = like === undefined ? "" : `; ${like} would do`;
    throw wrong(
      "a project",
      name,
      `npm requires lower-case letters, digits, "-", "_" and ".", starting with a letter or digit, at most ${MAX_PROJECT}${hint}`,
    );
  }
  if (RESERVED.has(name)) throw wrong("a project", name, "npm or Node uses it: choose another");
}

/**
 * Checks the name of a tool or view, which is also that of its folder.
 *
 * @throws {CliError} `usage`
 */
export function checkFolderName(name: string, what: "a tool" | "a view"): void {
  if (/^[A-Za-z0-9][\w.-]*$/.test(name) && !name.includes("..") && name.length <= MAX_FOLDER) return;
  throw wrong(
    what,
    name,
    `it is the name of its folder: letters, digits, "-", "_" and ".", starting with a letter or digit, at most ${MAX_FOLDER}`,
  );
}

/** Display form of a name: `price-list` becomes `Price list`. */
export function titleOf(name: string): string {
  const words = name.replace(/[-_.]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const wrong = (what: string, name: string, why: string): CliError =>
  usage(`${what} cannot be named ${JSON.stringify(name)}: ${why}`);

/** A similar name that npm accepts; undefined if there is none. */
function suggestion(name: string): string | undefined {
  const near = name
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[^a-z0-9]+|-+$/g, "")
    .slice(0, MAX_PROJECT);
  return near === "" || RESERVED.has(near) ? undefined : near;
}
