/**
 * Watches the source files of a server.
 *
 * @module
 */
import { type FSWatcher, unwatchFile, watch, watchFile } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { extname, join, sep } from "node:path";

/** Extensions of source files. Not `.json` and similar: a server may write those itself. */
const SOURCES = new Set(
  ".js .mjs .cjs .jsx .ts .mts .cts .tsx .html .htm .css .svg .vue .svelte .py .rb .php .lua .go .rs .java .kt .cs .sh .wasm".split(
    " ",
  ),
);
/** Maximum number of watched folders. */
const MAX_FOLDERS = 1_000;
/** Milliseconds of quiet before a change is reported, because builds write many files. */
const QUIET = 200;
/** Milliseconds between checks whether the folder is still the same. */
const LOOK = 500;

const isOwn = (name: string): boolean =>
  !name.startsWith(".") && name !== "node_modules" && name !== "__pycache__";

/** Identifies the folder at a path: a build may delete and recreate it. Undefined if there is none. */
async function identityOf(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  // The inode alone may be reused immediately.
  return found?.isDirectory() ? `${found.ino} ${found.birthtimeMs}` : undefined;
}

/** A running watch. */
export interface FileWatch {
  close(): void;
}

/**
 * Watches a folder and its subfolders, except `node_modules` and hidden ones. The system's recursive watch
 * has no exceptions, and would watch all of `node_modules`.
 *
 * A watcher belongs to a folder, not to its path. When a subfolder comes back, its parent reports it. The top
 * folder is polled, because its parents may be deleted with it (`rm -rf dist`).
 *
 * @param onchange called with one of the changed files, after a moment without changes
 * @param isMeant whether a change of this file counts; all by default
 */
export async function watchFiles(
  folder: string,
  onchange: (file: string) => void,
  isMeant: (file: string) => boolean = () => true,
): Promise<FileWatch> {
  const watchers = new Map<string, { identity: string; watcher: FSWatcher }>();
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let work = Promise.resolve();

  const tell = (file: string): void => {
    if (!isMeant(file)) return;
    clearTimeout(timer);
    timer = setTimeout(() => !isClosed && onchange(file), QUIET);
  };
  /** Stops the watches of a folder and its subfolders. */
  const forget = (path: string): void => {
    for (const [each, { watcher }] of watchers) {
      if (each !== path && !each.startsWith(path + sep)) continue;
      watcher.close();
      watchers.delete(each);
    }
  };
  /** Handles a folder that was created, removed or replaced. */
  const renew = async (path: string): Promise<void> => {
    if (watchers.get(path)?.identity === (await identityOf(path))) return;
    forget(path);
    await add(path, tell);
  };
  const changed = (path: string): void => {
    if (SOURCES.has(extname(path).toLowerCase())) tell(path);
    else work = work.then(() => renew(path));
  };
  const add = async (path: string, onfile?: (file: string) => void): Promise<void> => {
    // Before it is watched: if it is replaced in between, the next check notices.
    const identity = await identityOf(path);
    if (identity === undefined || isClosed || watchers.size >= MAX_FOLDERS) return;
    try {
      const watcher = watch(path, { persistent: false }, (_event, name) => {
        if (name !== null && isOwn(name)) changed(join(path, name));
      });
      watchers.set(path, { identity, watcher });
      watcher.on("error", () => forget(path));
    } catch {
      // It is gone or unreadable: there is nothing to watch.
      return;
    }
    const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (!isOwn(entry.name)) continue;
      const inside = join(path, entry.name);
      if (entry.isDirectory()) await add(inside, onfile);
      else if (SOURCES.has(extname(entry.name).toLowerCase())) onfile?.(inside);
    }
  };

  const look = (): void => {
    work = work.then(() => renew(folder));
  };
  watchFile(folder, { persistent: false, interval: LOOK }, look);
  work = add(folder);
  await work;
  return {
    close() {
      isClosed = true;
      clearTimeout(timer);
      unwatchFile(folder, look);
      forget(folder);
    },
  };
}
