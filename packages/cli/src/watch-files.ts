/**
 * Hears when somebody changes the source of a server.
 *
 * @module
 */
import { type FSWatcher, watch } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { extname, join } from "node:path";

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

const isOwn = (name: string): boolean =>
  !name.startsWith(".") && name !== "node_modules" && name !== "__pycache__";

/** Files that are watched. */
export interface FileWatch {
  close(): void;
}

/**
 * Watches a folder and the folders in it, but for `node_modules` and those that begin with a dot. The system's own
 * recursive watch knows no exceptions, and would watch all of `node_modules`.
 *
 * @param onchange hears one of the files that changed, when nothing has changed for a moment
 */
export async function watchFiles(folder: string, onchange: (file: string) => void): Promise<FileWatch> {
  const watchers = new Map<string, FSWatcher>();
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  const tell = (file: string): void => {
    clearTimeout(timer);
    timer = setTimeout(() => !isClosed && onchange(file), QUIET);
  };
  const forget = (path: string): void => {
    watchers.get(path)?.close();
    watchers.delete(path);
  };
  const changed = async (path: string): Promise<void> => {
    if (SOURCES.has(extname(path).toLowerCase())) return tell(path);
    const found = await stat(path).catch(() => undefined);
    if (!found) forget(path);
    // A folder that comes with its files.
    else if (found.isDirectory() && !watchers.has(path)) await add(path, tell);
  };
  const add = async (path: string, onfile?: (file: string) => void): Promise<void> => {
    if (isClosed || watchers.has(path) || watchers.size >= MAX_FOLDERS) return;
    try {
      const watcher = watch(path, { persistent: false }, (_event, name) => {
        if (name !== null && isOwn(name)) void changed(join(path, name));
      });
      watchers.set(path, watcher);
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

  await add(folder);
  return {
    close() {
      isClosed = true;
      clearTimeout(timer);
      for (const path of [...watchers.keys()]) forget(path);
    },
  };
}
