/**
 * Writes a folder, all of it or nothing: the files are written beside, and get their name when they are complete.
 *
 * @module
 */
import { lstat, mkdir, mkdtemp, readdir, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CliError } from "../exit.js";
import type { Files } from "./template-files.js";

/**
 * Writes it. A folder that is there and empty is taken; anything else that is there stays as it is.
 *
 * @param beside an existing folder, on the same disk, for what is not complete
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
    // The first of the folders above that was not there.
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
 * Refuses a target that is not free, before anything is written.
 *
 * @throws {CliError} `exists`, `system`
 */
export async function refuseExisting(target: string): Promise<void> {
  const found = await lstat(target).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw readable(error, target);
  });
  if (!found) return;
  if (!found.isDirectory()) throw existing(target, "is there already, and is no folder");
  const names = await readdir(target).catch((error: unknown) => {
    throw readable(error, target);
  });
  if (names.length > 0) throw existing(target, "is there already, and has files in it");
}

async function takePlace(whole: string, target: string): Promise<void> {
  // An empty folder goes; one that got a file meanwhile does not.
  await rmdir(target).catch((error: unknown) => {
    if (codeOf(error) !== "ENOENT") throw error;
  });
  await rename(whole, target);
}

const existing = (target: string, how: string): CliError =>
  new CliError("exists", `${target} ${how}: nothing is overwritten; choose another name, or move it away`);

const codeOf = (error: unknown): unknown => Object(error)["code"];

/** What the system says, with what to do. */
function readable(error: unknown, target: string): unknown {
  const say = (why: string): CliError =>
    new CliError("system", `${target} cannot be written: ${why}`, { cause: error });
  switch (codeOf(error)) {
    case "ENOTEMPTY":
    case "EEXIST":
      return existing(target, "is there already, and has files in it");
    case "ENOTDIR":
      return existing(target, "is there already, or is in something that is no folder");
    case "EACCES":
    case "EPERM":
      return say("you may not write there; go to a folder of yours");
    case "EROFS":
      return say("that place can only be read; go to another folder");
    case "ENOSPC":
      return say("the disk is full");
    default:
      return error;
  }
}
