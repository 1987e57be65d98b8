/**
 * Watches folders and all that is in them, also folders that are made later.
 *
 * @module
 */
import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";
import { allFolders } from "./folders.js";

/** Milliseconds: editors write a file in several steps. What is read between two of them is read again. */
const QUIET = 10;

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
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isClosed = false;

  const begin = (path: string): void => {
    try {
      const watcher = watch(path, { persistent: false }, (_event, name) => {
        // In the root there may be anything: logs, for example.
        if (path !== root || name === null || folders.includes(name)) soon();
      });
      watcher.on("error", (error) => {
        end(path);
        failed(error);
      });
      watchers.set(path, watcher);
    } catch (error) {
      // It may be gone already: then its parent has told.
      if (Object(error).code !== "ENOENT") failed(error);
    }
  };
  const end = (path: string): void => {
    watchers.get(path)?.close();
    watchers.delete(path);
  };
  const refresh = async (): Promise<void> => {
    const inner = await Promise.all(folders.map((folder) => allFolders(join(root, folder))));
    const now = new Set([root, ...inner.flat()]);
    if (isClosed) return;
    for (const path of watchers.keys()) if (!now.has(path)) end(path);
    for (const path of now) if (!watchers.has(path)) begin(path);
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

  await refresh();
  return {
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      for (const path of [...watchers.keys()]) end(path);
      await running;
    },
  };
}
