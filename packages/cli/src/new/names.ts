/**
 * Names of projects, tools and views.
 *
 * @module
 */
import { builtinModules } from "node:module";
import { type CliError, usage } from "../exit.js";

/** The longest that npm takes. */
const MAX_PROJECT = 214;
/** The longest that `@vitrine/server` takes for a tool or a view. */
const MAX_FOLDER = 100;
const RESERVED = new Set(["node_modules", "favicon.ico", ...builtinModules]);

/**
 * A project's name is that of its folder, of its package and of its server.
 *
 * @throws {CliError} `usage`
 */
export function checkProjectName(name: string): void {
  if (/[/\\]/.test(name))
    throw wrong("a project", name, "a path: go to the folder where it is to be, and write its name alone");
  if (!/^[a-z0-9][a-z0-9._-]*$/.test(name) || name.length > MAX_PROJECT) {
    const like = suggestion(name);
    const hint = like === undefined ? "" : `; ${like} would do`;
    throw wrong(
      "a project",
      name,
      `npm wants small letters, digits, "-", "_" and ".", the first a letter or digit, ${MAX_PROJECT} at most${hint}`,
    );
  }
  if (RESERVED.has(name)) throw wrong("a project", name, "npm or Node has it: choose another");
}

/**
 * A tool or a view in folders has the name of its folder.
 *
 * @throws {CliError} `usage`
 */
export function checkFolderName(name: string, what: "a tool" | "a view"): void {
  if (/^[A-Za-z0-9][\w.-]*$/.test(name) && !name.includes("..") && name.length <= MAX_FOLDER) return;
  throw wrong(
    what,
    name,
    `it is the name of its folder: letters, digits, "-", "_" and ".", the first a letter or digit, ${MAX_FOLDER} at most`,
  );
}

/** `price-list` as people write it: `Price list`. */
export function titleOf(name: string): string {
  const words = name.replace(/[-_.]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const wrong = (what: string, name: string, why: string): CliError =>
  usage(`${what} cannot be called ${JSON.stringify(name)}: ${why}`);

/** The nearest name that npm takes; undefined if nothing is left. */
function suggestion(name: string): string | undefined {
  const near = name
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[^a-z0-9]+|-+$/g, "")
    .slice(0, MAX_PROJECT);
  return near === "" || RESERVED.has(near) ? undefined : near;
}
