/**
 * The folder in which relative paths of a new program start: the user means the folder of the terminal, and the
 * settings file is elsewhere.
 *
 * @module
 */
import { dirname, isAbsolute, resolve } from "node:path";
import { projectOf } from "../config/read.js";
import { isObject } from "../config/reader.js";
import type { WrittenEntry } from "./setup-host.js";

const DOTTED = /^\.{1,2}([\\/]|$)/;
/** Words that contain slashes and are no paths of this machine: flags, packages, addresses, variables, the home folder. */
const OTHER = /^([-@~$]|[a-z][a-z0-9+.-]+:)/i;
const PROGRAM_FILE = /\.([cm]?[jt]s|py|rb|php|sh|jar|jsonc?|ya?ml|toml|exe|cmd|bat)$/i;
/** Programs whose plain arguments are images and packages. */
const RUNNERS = /(^|[\\/])(docker|podman|npx|bunx|uvx|pipx)$/;

/** Whether a word of a command is a path that depends on the folder. It looks at the word alone: a page must not learn which files exist. */
function isRelativePath(word: string, mayHaveSlash: boolean): boolean {
  if (DOTTED.test(word)) return true;
  if (OTHER.test(word) || isAbsolute(word)) return false;
  return PROGRAM_FILE.test(word) || (mayHaveSlash && /[\\/]/.test(word));
}

/** A path as it is, if it does not depend on a folder. */
const pathFrom = (folder: string, path: unknown): unknown =>
  typeof path !== "string" || /^[~$]/.test(path) ? path : resolve(folder, path);

/**
 * The entry with absolute folders, and with `cwd` if its command has a relative path.
 *
 * @param folder where relative paths start
 * @param file the settings file that gets the entry
 */
export function startingIn(folder: string, file: string, entry: WrittenEntry): WrittenEntry {
  const { command, args, cwd, isolation } = entry;
  if (typeof command !== "string" || resolve(folder) === projectOf(file)) return entry;
  const words = (Array.isArray(args) ? args : []).map(String);
  const hasPaths =
    isRelativePath(command, true) ||
    words.some((word) => isRelativePath(word.replace(/^--?[\w-]+=/, ""), !RUNNERS.test(command)));
  const paths = (key: "read" | "write") =>
    isObject(isolation) && Array.isArray(isolation[key])
      ? { [key]: isolation[key].map((path) => pathFrom(folder, path)) }
      : {};
  return {
    ...entry,
    // The settings file would take it as beside itself.
    ...(DOTTED.test(command) && { command: resolve(folder, command) }),
    ...(cwd === undefined ? hasPaths && { cwd: resolve(folder) } : { cwd: pathFrom(folder, cwd) }),
    ...(isObject(isolation) && { isolation: { ...isolation, ...paths("read"), ...paths("write") } }),
  };
}

/** The folder in which relative paths start, if the program that runs the gateway names none: that of the file. */
export const startFolder = ({ file, folder }: { file: string; folder?: string | undefined }): string =>
  folder ?? dirname(file);
