/**
 * Watches files and folders.
 *
 * @module
 */
import { type FSWatcher, type Stats, unwatchFile, watch, watchFile } from "node:fs";
import { lstat, readdir, stat } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";

/** Options of {@link watchPaths}. */
export interface WatchPathsOptions {
  /** Called with one of the changed paths, after a moment without changes; never twice at the same time. */
  readonly changed: (path: string) => void | Promise<void>;
  /** Called when a folder cannot be watched, or `changed` fails. */
  readonly failed?: ((error: unknown) => void) | undefined;
  /** Whether a change of this path counts; all by default. */
  readonly counts?: ((path: string) => boolean) | undefined;
  /**
   * Milliseconds without changes before `changed` is called, because editors write a file in several steps and
   * builds write many files; 10 by default.
   */
  readonly quiet?: number | undefined;
  /** Milliseconds between checks of the paths themselves; 500 by default. */
  readonly interval?: number | undefined;
  /** Maximum number of watched folders; any number by default. */
  readonly maxFolders?: number | undefined;
}

/** A running watch. */
export interface PathWatch {
  /** Stops watching: `changed` is not called again. Resolves when its last call has ended. */
  close(): Promise<void>;
}

/**
 * Watches files, and folders with everything in them, except hidden entries and installed packages. A path need
 * not exist yet, and may be deleted, replaced and created again.
 *
 * A system watcher belongs to a folder, not to its path: it misses a folder that takes the place of another. Each
 * folder has its own watcher, which notices replaced subfolders. (Recursive watchers have no exceptions, and miss
 * files that are created quickly in a new folder.) The paths themselves are also polled: their parents may be
 * deleted with them, they may be links, and not every disk has watchers.
 *
 * @example
 * ```ts source="./support.examples.ts#watchPaths"
 * const watch = await watchPaths(["/srv/shop/src", "/srv/shop/settings.json"], {
 *   changed: (file) => restart(file),
 *   quiet: 200,
 * });
 * // Later:
 * await watch.close();
 * ```
 */
export async function watchPaths(
  paths: readonly string[],
  {
    changed,
    failed = () => {},
    counts = () => true,
    quiet = 10,
    interval = 500,
    maxFolders = Number.POSITIVE_INFINITY,
  }: WatchPathsOptions,
): Promise<PathWatch> {
  const roots = new Set(paths.map((path) => resolve(path)));
  const watchers = new Map<string, { readonly identity: string; readonly watcher: FSWatcher }>();
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let work = Promise.resolve();

  const isWatched = (folder: string, name: string): boolean => {
    const path = join(folder, name);
    if (roots.has(path)) return true;
    return !isSkipped(name) && [...roots].some((root) => path.startsWith(root + sep));
  };

  const run = (path: string): void => {
    if (running) {
      tell(path);
      return;
    }
    running = (async () => changed(path))()
      .catch(failed)
      .finally(() => {
        running = undefined;
      });
  };
  const tell = (path: string): void => {
    if (isClosed || !counts(path)) return;
    clearTimeout(timer);
    timer = setTimeout(run, quiet, path).unref();
  };

  /** Identifies the folder at a path; undefined if there is none. Only the given paths may be links. */
  const identityOf = async (path: string): Promise<string | undefined> => {
    const found = await (roots.has(path) ? stat : lstat)(path).catch(() => undefined);
    return found?.isDirectory() ? identityIn(found) : undefined;
  };
  /** Stops the watchers of a folder and its subfolders. */
  const forget = (path: string): void => {
    for (const [each, { watcher }] of watchers) {
      if (each !== path && !each.startsWith(path + sep)) continue;
      watcher.close();
      watchers.delete(each);
    }
  };
  /** Watches a folder and its subfolders; of the parent of a given path, only that. */
  const add = async (path: string, identity: string, onfile?: (file: string) => void): Promise<void> => {
    if (isClosed || watchers.size >= maxFolders) return;
    try {
      const watcher = watch(path, { persistent: false }, (_event, name) => {
        if (name === null) for (const root of roots) happened(root);
        else if (isWatched(path, name)) happened(join(path, name));
      });
      watchers.set(path, { identity, watcher });
      watcher.on("error", (error) => {
        forget(path);
        failed(error);
      });
    } catch (error) {
      // The folder may be gone already: then its parent has reported the change.
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) failed(error);
      return;
    }
    for (const entry of await readdir(path, { withFileTypes: true }).catch(() => [])) {
      if (!isWatched(path, entry.name)) continue;
      const inside = join(path, entry.name);
      const folder = entry.isFile() ? undefined : await identityOf(inside);
      if (folder !== undefined) await add(inside, folder, onfile);
      else onfile?.(inside);
    }
  };
  /** Handles a folder that was created, removed or replaced. */
  const renew = async (path: string, onfile?: (file: string) => void): Promise<void> => {
    const identity = await identityOf(path);
    if (watchers.get(path)?.identity === identity) return;
    forget(path);
    if (identity !== undefined) await add(path, identity, onfile);
  };
  // Watches first, so that no change is missed after `changed` has read.
  const happened = (path: string): void => {
    work = work
      .then(() => renew(path, tell))
      .then(() => {
        // Of a folder, only the files in it are reported.
        if (!watchers.has(path)) tell(path);
      })
      .catch(failed);
  };

  const look = (root: string) => (now: Stats, before: Stats) => {
    // The time of a folder changes with its entries, which have their own watchers.
    if (now.isDirectory() && identityIn(now) === identityIn(before)) return;
    work = work.then(() => renew(dirname(root), tell)).catch(failed);
    happened(root);
  };
  const looks = [...roots].map((root) => ({ root, listener: look(root) }));
  for (const { root, listener } of looks) watchFile(root, { persistent: false, interval }, listener);
  for (const root of roots) work = work.then(() => renew(dirname(root))).then(() => renew(root));
  await work;
  return {
    async close() {
      isClosed = true;
      clearTimeout(timer);
      for (const { root, listener } of looks) unwatchFile(root, listener);
      for (const { watcher } of watchers.values()) watcher.close();
      watchers.clear();
      await work;
      await running;
    },
  };
}

/** Hidden entries, and installed packages. */
const isSkipped = (name: string): boolean =>
  name.startsWith(".") || name === "node_modules" || name === "__pycache__";

/** The inode alone may be reused immediately. */
const identityIn = ({ ino, birthtimeMs }: Stats): string => `${ino} ${birthtimeMs}`;
