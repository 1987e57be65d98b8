/**
 * Files that only this user can read, written atomically.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { link, mkdir, open, rename, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { GatewayError } from "@vitrine/wire";

const has = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;

/** The text of a file; undefined if it does not exist. A file that others can read is refused. */
export async function readPrivate(path: string): Promise<string | undefined> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch((error: unknown) => {
    if (has(error, "ENOENT")) return undefined;
    if (has(error, "ELOOP")) throw refused(path, "is a symbolic link; replace it by the file itself");
    throw refused(path, `cannot be read: ${String(error)}`, error);
  });
  if (!handle) return undefined;
  try {
    const { mode, uid } = await handle.stat();
    // Windows has no such modes; the folder's access rules apply there.
    if (process.getuid) {
      if (mode & 0o077) throw refused(path, `can be read by others; run: chmod 600 ${path}`);
      if (uid !== process.getuid() && process.getuid() !== 0) throw refused(path, "belongs to another user");
    }
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}

/**
 * Writes a file atomically; it is on disk when the promise resolves. With `isNew`, returns false if the file
 * exists already.
 */
export async function writePrivate(path: string, text: string, isNew = false): Promise<boolean> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  const handle = await open(draft, "wx", 0o600);
  try {
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (isNew) await link(draft, path);
    else await rename(draft, path);
  } catch (error) {
    await unlink(draft).catch(() => {});
    if (isNew && has(error, "EEXIST")) return false;
    throw error;
  }
  if (isNew) await unlink(draft);
  const directory = await open(folder, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
  return true;
}

export const refused = (path: string, why: string, cause?: unknown): GatewayError =>
  new GatewayError("config-invalid", `${path}: ${why}`, { cause });
