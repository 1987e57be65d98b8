/**
 * Writes a folder completely or not at all: the files are written to a temporary folder, which is then
 * renamed.
 *
 * @module
 */
import { lstat, mkdir, mkdtemp, readdir, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CliError } from "../exit.js";
import type { Files } from "./template-files.js";

/**
 * Writes a folder. An existing empty folder is replaced; anything else stays.
 *
 * @param beside an existing folder on the same disk, for the temporary folder
 * @throws {CliError} `exists`, `system`
 */
export async function writeFolder(target: string, files: Files, beside = dirname(target)): Promise<void> {
  await refuseExisting(target);
  let draft: string | undefined;
  let parent: string | undefined;
  try {
    draft = await mkdtemp(join(beside, ".vitrine-new-"));
    const whole = join(draft, "whole");
    await mkdir(whole);
    for (const [path, text] of files) {
      await mkdir(dirname(join(whole, path)), { recursive: true });
      await writeFile(join(whole, path), text, { flag: "wx" });
    }
    // The first parent folder that was created.
    parent = await mkdir(dirname(target), { recursive: true });
    await takePlace(whole, target);
  } catch (error) {
    if (parent !== undefined) await rmdir(parent).catch(() => undefined);
    throw readable(error, target);
  } finally {
    if (draft !== undefined) await rm(draft, { recursive: true, force: true });
  }
}

/**
 * Refuses an occupied target before anything is written.
 *
 * @throws {CliError} `exists`, `system`
 */
export async function refuseExisting(target: string): Promise<void> {
  const found = await lstat(target).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw readable(error, target);
  });
  if (!found) return;
  if (!found.isDirectory()) throw existing(target, "already exists, and is not a folder");
  const names = await readdir(target).catch((error: unknown) => {
    throw readable(error, target);
  });
  if (names.length > 0) throw existing(target, "already exists, and contains files");
}

async function takePlace(whole: string, target: string): Promise<void> {
  // Removes only an empty folder.
  await rmdir(target).catch((error: unknown) => {
    if (codeOf(error) !== "ENOENT") throw error;
  });
  await rename(whole, target);
}

const existing = (target: string, how: string): CliError =>
  new CliError("exists", `${target} ${how}: nothing is overwritten; choose another name, or move it away`);

const codeOf = (error: unknown): unknown => Object(error)["code"];

/** A system error with a solution. */
function readable(error: unknown, target: string): unknown {
  const say = (why: string): CliError =>
    new CliError("system", `${target} cannot be written: ${why}`, { cause: error });
  switch (codeOf(error)) {
    case "ENOTEMPTY":
    case "EEXIST":
      return existing(target, "already exists, and contains files");
    case "ENOTDIR":
      return existing(target, "already exists, or its parent is not a folder");
    case "EACCES":
    case "EPERM":
      return say("you have no permission to write there; use one of your own folders");
    case "EROFS":
      return say("the location is read-only; use another folder");
    case "ENOSPC":
      return say("the disk is full");
    default:
      return error;
  }
}
