/**
 * Watches folders and everything in them, including folders created later.
 *
 * @module
 */
import { type FSWatcher, type Stats, unwatchFile, watch, watchFile } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { allFolders } from "./folders.js";

/**
 * Milliseconds of quiet before a change is handled, because editors write a file in several steps. If more
 * follows, the file is read again.
 */
const QUIET = 10;

/** Milliseconds between checks whether the root is still the same folder. */
const LOOK = 500;

/** Identifies the folder at a path; undefined if there is none. The inode alone may be reused immediately. */
async function identityOf(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ? `${found.ino} ${found.birthtimeMs}` : undefined;
}

/** Options of {@link watchFolders}. */
export interface WatchFoldersOptions {
  readonly root: string;
  /** Folders in the root; they need not exist yet. */
  readonly folders: readonly string[];
  /** Called after a moment without changes; never twice at the same time. */
  readonly changed: () => Promise<void>;
  readonly failed: (error: unknown) => void;
}

/** A running watch. */
export interface Watching {
  close(): Promise<void>;
}

/**
 * Watches each folder separately: Node's recursive watchers miss files that are created quickly in a new
 * folder.
 */
export async function watchFolders({
  root,
  folders,
  changed,
  failed,
}: WatchFoldersOptions): Promise<Watching> {
  const watchers = new Map<string, { readonly watcher: FSWatcher; readonly identity: string }>();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isClosed = false;

  const begin = async (path: string): Promise<void> => {
    const identity = await identityOf(path);
    if (identity === undefined || isClosed || watchers.get(path)?.identity === identity) return;
    end(path);
    try {
      const watcher = watch(path, { persistent: false }, (_event, name) => {
        // Ignore unrelated files in the root, such as logs.
        if (path !== root || name === null || folders.includes(name)) soon();
      });
      watcher.on("error", (error) => {
        end(path);
        failed(error);
      });
      watchers.set(path, { watcher, identity });
    } catch (error) {
      // The folder may be gone already: then its parent has reported the change.
      if (Object(error).code !== "ENOENT") failed(error);
    }
  };
  const end = (path: string): void => {
    watchers.get(path)?.watcher.close();
    watchers.delete(path);
  };
  const refresh = async (): Promise<void> => {
    const inner = await Promise.all(folders.map((folder) => allFolders(join(root, folder))));
    const now = new Set([root, ...inner.flat()]);
    if (isClosed) return;
    for (const path of watchers.keys()) if (!now.has(path)) end(path);
    for (const path of now) await begin(path);
  };
  const soon = (): void => {
    clearTimeout(timer);
    if (!isClosed) timer = setTimeout(run, QUIET);
  };
  const run = (): void => {
    if (running) {
      soon();
      return;
    }
    // Watch first, then read, so that no change is missed.
    running = refresh()
      .then(() => (isClosed ? undefined : changed()))
      .catch(failed)
      .finally(() => {
        running = undefined;
      });
  };

  // A build may delete and recreate the root, but a watcher stays with the deleted folder.
  const look = (now: Stats, before: Stats): void => {
    if (now.ino !== before.ino) soon();
  };
  watchFile(root, { persistent: false, interval: LOOK }, look);
  await refresh();
  return {
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      unwatchFile(root, look);
      for (const path of [...watchers.keys()]) end(path);
      await running;
    },
  };
}
