/**
 * Writes a settings file so that no reader ever sees half of it, and no change of another program is lost.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import { link, lstat, mkdir, open, readFile, realpath, rename, stat, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { GatewayError } from "@vitrine/wire";
import { editSettings, type SettingsChange, SettingsPathError } from "./edit-settings.js";
import { JsonError } from "./json.js";

/** Attempts if other programs change the file meanwhile. */
const ATTEMPTS = 5;

const isCode = (error: unknown, code: string): boolean => Object(error).code === code;

/** Changes of the same file by this process wait for each other. */
const queues = new Map<string, Promise<unknown>>();

/**
 * Changes settings of a file. `changes` gets its current text, and is called again if another program writes
 * the file meanwhile; an error that it throws leaves the file as it is. A file that does not exist is created,
 * readable for this user only; its mode and the target of a link stay otherwise. Resolves to the new text.
 * `check` gets the text before it is written, and throws to keep the file.
 *
 * @throws {GatewayError} `config-invalid` if the file is not valid JSON; `settings-unwritable`
 * @example
 * ```ts source="./config.examples.ts#changeSettingsFile"
 * await changeSettingsFile(file, () => [{ path: ["mcpServers", "lab", "disabled"], value: true }]);
 * ```
 */
export function changeSettingsFile(
  file: string,
  changes: (text: string) => readonly SettingsChange[] | Promise<readonly SettingsChange[]>,
  check?: (text: string) => Promise<void>,
): Promise<string> {
  const previous = queues.get(file) ?? Promise.resolve();
  const work = previous.catch(() => {}).then(() => changed(file, changes, check));
  queues.set(file, work);
  const forget = (): void => {
    if (queues.get(file) === work) queues.delete(file);
  };
  work.then(forget, forget);
  return work;
}

async function changed(...[file, changes, check]: Parameters<typeof changeSettingsFile>): Promise<string> {
  const path = await targetOf(file);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const text = await textOf(path, file);
    const edited = edit(file, text ?? "", await changes(text ?? ""));
    if (edited === text) return edited;
    await check?.(edited);
    try {
      if (await replace(path, text, edited)) return edited;
    } catch (cause) {
      throw unwritable(file, cause);
    }
  }
  throw new GatewayError("settings-unwritable", `${file} changes all the time; try again`);
}

/** The text of the settings file; empty if there is no file yet. */
export const settingsText = async (file: string): Promise<string> => (await textOf(file, file)) ?? "";

async function textOf(path: string, file: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    if (isCode(cause, "ENOENT")) return undefined;
    throw unwritable(file, cause);
  }
}

function edit(file: string, text: string, changes: readonly SettingsChange[]): string {
  try {
    return editSettings(text, changes);
  } catch (cause) {
    if (!(cause instanceof JsonError || cause instanceof SettingsPathError)) throw cause;
    throw new GatewayError("config-invalid", `${file}: ${cause.message}`, { cause });
  }
}

/** Follows links, also one to a file that does not exist yet. */
async function targetOf(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (cause) {
    const isDangling = await lstat(file).then(
      () => true,
      () => false,
    );
    if (isDangling || !isCode(cause, "ENOENT")) throw unwritable(file, cause);
    return file;
  }
}

/** Replaces the file by a rename; false if it is not what was read any more. */
async function replace(path: string, before: string | undefined, text: string): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  const old = before === undefined ? undefined : await stat(path);
  const handle = await open(draft, "wx", 0o600);
  try {
    try {
      await handle.writeFile(text);
      if (old) await handle.chmod(old.mode & 0o7777);
      // Only root can keep another owner.
      if (old && process.getuid?.() === 0) await handle.chown(old.uid, old.gid);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (before === undefined) {
      // Unlike a rename, a link never replaces a file that was created meanwhile.
      await link(draft, path);
    } else {
      if ((await readFile(path, "utf8")) !== before) return false;
      await rename(draft, path);
    }
    return true;
  } catch (error) {
    if (isCode(error, "EEXIST") || isCode(error, "ENOENT")) return false;
    throw error;
  } finally {
    // After a rename there is none.
    await unlink(draft).catch(() => {});
  }
}

const unwritable = (file: string, cause: unknown): GatewayError =>
  cause instanceof GatewayError
    ? cause
    : new GatewayError(
        "settings-unwritable",
        `${file} cannot be changed: ${cause instanceof Error ? cause.message : String(cause)}`,
        { cause },
      );
