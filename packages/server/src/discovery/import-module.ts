/**
 * Imports modules that may change. Each version of a file is imported once.
 *
 * @module
 */
import { stat } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { pathInside } from "../read-document.js";
import { FileError, inFile, messageOf } from "./problem.js";

/**
 * Imports a module's default export.
 *
 * @throws {DefinitionError} `tool-invalid`, `path-forbidden`, `view-missing`
 */
export async function importDefault(root: string, file: string): Promise<unknown> {
  const path = await inFile(file, () => pathInside(root, file));
  const { mtimeMs, size, ino } = await stat(path);
  const url = pathToFileURL(path);
  // Node caches modules forever, so each version needs its own URL.
  url.search = `v=${mtimeMs}-${size}-${ino}`;
  let module: { default?: unknown };
  try {
    module = await import(/* @vite-ignore */ url.href);
  } catch (cause) {
    const isUnknown = Object(cause).code === "ERR_UNKNOWN_FILE_EXTENSION";
    const message = isUnknown
      ? "this version of Node cannot import TypeScript: compile it to tool.js, or use Node 22.18 or later"
      : `it cannot be loaded: ${messageOf(cause)}`;
    throw new FileError("tool-invalid", message, { file, cause });
  }
  return module.default;
}
