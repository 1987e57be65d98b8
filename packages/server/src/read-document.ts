/**
 * Reads documents from disk, within limits: no symbolic links, no oversized files, only UTF-8.
 *
 * @module
 */
import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { checkedText, MAX_BYTES, tooLarge } from "./check-document.js";
import { DefinitionError } from "./errors.js";

/**
 * Reads a regular file, never through a symbolic link.
 *
 * @throws {DefinitionError}
 */
export async function readDocument(path: string, limit = MAX_BYTES): Promise<string> {
  return checkedText(decoded(await readFileItself(path, limit), path), path, limit);
}

/** Reads a regular file. Checks the opened file, not the path, because a path can change in between. */
export async function readFileItself(path: string, limit: number): Promise<Buffer> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const file = await open(path, flags).catch((cause: unknown) => {
    throw Object(cause).code === "ELOOP"
      ? new DefinitionError("path-forbidden", `${path} is a symbolic link: put the file itself there`, {
          cause,
        })
      : new DefinitionError("view-missing", `there is no readable file ${path}`, { cause });
  });
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new DefinitionError("view-missing", `${path} is not a file`);
    if (stat.size > limit) throw tooLarge(path, stat.size, limit);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

function decoded(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new DefinitionError("view-not-utf8", `${name} is not UTF-8: save it with that encoding`, { cause });
  }
}

/**
 * Resolves a file inside a folder. Neither the name nor a link may lead out of it.
 *
 * @throws {DefinitionError} `path-forbidden`, `view-missing`
 */
export async function pathInside(folder: string, name: string): Promise<string> {
  const isPlain =
    name !== "" && !name.split(/[/\\]/).some((part) => part === "" || part === "." || part === "..");
  if (!isPlain || name.includes("\0") || /^[A-Za-z]:/.test(name)) {
    throw new DefinitionError("path-forbidden", `${JSON.stringify(name)} must name a file inside ${folder}`);
  }
  const path = join(folder, name);
  const [root, real] = await Promise.all([realpath(folder), realpath(path)]).catch((cause: unknown) => {
    throw new DefinitionError("view-missing", `there is no file ${path}`, { cause });
  });
  if (real !== join(root, name)) {
    const message = real.startsWith(root + sep) ? "goes through a symbolic link" : `leads out of ${folder}`;
    throw new DefinitionError("path-forbidden", `${path} ${message}: put the file itself there`);
  }
  return real;
}
