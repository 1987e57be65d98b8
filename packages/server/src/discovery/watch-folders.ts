/**
 * Watches folders and all that is in them, also folders that are made later.
 *
 * @module
 */
import { type FSWatcher, type Stats, unwatchFile, watch, watchFile } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { allFolders } from "./folders.js";

/** Milliseconds: editors write a file in several steps. What is read between two of them is read again. */
const QUIET = 10;

/** Milliseconds between two looks at whether the root is still the same. */
const LOOK = 500;

/** Which folder is at a path; undefined if there is none. The number alone may be given again at once. */
async function identityOf(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ? `${found.ino} ${found.birthtimeMs}` : undefined;
}

/** What {@link watchFolders} takes. */
export interface WatchOptions {
  readonly root: string;
  /** In the root; they need not be there yet. */
  readonly folders: readonly string[];
  /** Called when it has been quiet for a moment; and not again before it is done. */
  readonly changed: () => Promise<void>;
  readonly failed: (error: unknown) => void;
}

/** Something that ends. */
export interface Watching {
  close(): Promise<void>;
}

/** Each folder has a watcher of its own: Node's recursive ones miss what is made quickly in a new folder. */
export async function watchFolders({ root, folders, changed, failed }: WatchOptions): Promise<Watching> {
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
        // In the root there may be anything: logs, for example.
        if (path !== root || name === null || folders.includes(name)) soon();
      });
      watcher.on("error", (error) => {
        end(path);
        failed(error);
      });
      watchers.set(path, { watcher, identity });
    } catch (error) {
      // It may be gone already: then its parent has told.
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
    // Watched first and looked at then: nothing falls between.
    running = refresh()
      .then(() => (isClosed ? undefined : changed()))
      .catch(failed)
      .finally(() => {
        running = undefined;
      });
  };

  // A build may take the root away, and make it anew: a watch is of the folder, and not of its path.
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
