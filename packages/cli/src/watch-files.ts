/**
 * Hears when somebody changes the source of a server.
 *
 * @module
 */
import { type FSWatcher, unwatchFile, watch, watchFile } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { extname, join, sep } from "node:path";

/** What programs and their pages are made of. Not `.json` and the like: a server may write those itself. */
const SOURCES = new Set(
  ".js .mjs .cjs .jsx .ts .mts .cts .tsx .html .htm .css .svg .vue .svelte .py .rb .php .lua .go .rs .java .kt .cs .sh .wasm".split(
    " ",
  ),
);
/** Folders that are watched at most: more than that is no server's own. */
const MAX_FOLDERS = 1_000;
/** Milliseconds of quiet after which a change is told: builds write many files. */
const QUIET = 200;
/** Milliseconds between two looks at whether the folder itself is still the same. */
const LOOK = 500;

const isOwn = (name: string): boolean =>
  !name.startsWith(".") && name !== "node_modules" && name !== "__pycache__";

/** Which folder is at a path: a build takes one away and makes another. Undefined if there is none. */
async function identityOf(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  // The number alone may be given again at once.
  return found?.isDirectory() ? `${found.ino} ${found.birthtimeMs}` : undefined;
}

/** Files that are watched. */
export interface FileWatch {
  close(): void;
}

/**
 * Watches a folder and the folders in it, but for `node_modules` and those that begin with a dot. The system's own
 * recursive watch knows no exceptions, and would watch all of `node_modules`.
 *
 * A watch is of one folder and not of its path. The folders inside are told of by the one above when they come back; the
 * first is looked at now and then, because the folders above it may go with it (`rm -rf dist`).
 *
 * @param onchange hears one of the files that changed, when nothing has changed for a moment
 * @param isMeant whether a change of this file is one; every change by default
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
  /** Ends the watches of a folder and of those in it. */
  const forget = (path: string): void => {
    for (const [each, { watcher }] of watchers) {
      if (each !== path && !each.startsWith(path + sep)) continue;
      watcher.close();
      watchers.delete(each);
    }
  };
  /** A folder that has come, with its files, or gone, or is another one now. */
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
    // Before it is watched: if it is taken away in between, the next look finds another one.
    const identity = await identityOf(path);
    if (identity === undefined || isClosed || watchers.size >= MAX_FOLDERS) return;
    try {
      const watcher = watch(path, { persistent: false }, (_event, name) => {
        if (name !== null && isOwn(name)) changed(join(path, name));
      });
      watchers.set(path, { identity, watcher });
      watcher.on("error", () => forget(path));
    } catch {
      // It is gone, or must not be read: there is nothing to watch.
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
