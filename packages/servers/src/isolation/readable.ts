/**
 * Paths that a sandboxed server can read without a grant: the system's programs and its own program, and none
 * of the user's files.
 *
 * @module
 */
import { realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, extname, isAbsolute, join, relative } from "node:path";

/** A path that appears in the sandbox at the same location as outside. */
export type Entry =
  | { kind: "read" | "write"; path: string }
  /** A symbolic link, as it is outside. */
  | { kind: "link"; path: string; target: string };

/** Extensions of scripts. A script among the arguments is readable together with its package. */
const SCRIPTS = new Set(
  ".js .cjs .mjs .ts .cts .mts .jsx .tsx .py .pyz .rb .pl .php .sh .jar .wasm".split(" "),
);

/** Folders that contain much more than one program. */
const WIDE = new Set(
  "/ /bin /boot /dev /etc /home /lib /media /mnt /opt /proc /root /run /sbin /srv /sys /tmp /usr /var /var/tmp".split(
    " ",
  ),
);

/** Whether a folder is too broad to be made readable because of one program in it. */
export const isWide = (folder: string): boolean => WIDE.has(folder) || isInside(homedir(), folder);

/** Whether a path is a folder or inside of it. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith("../") && !isAbsolute(way));
}

/**
 * The entries for a program and the scripts among its arguments. Programs under `/usr` are readable anyway. A
 * script adds the folder of its package, and the `node_modules` of its parent folders, which Node searches
 * too.
 */
export async function programEntries(program: string, args: readonly string[]): Promise<Entry[]> {
  const scripts = args.filter((arg) => isAbsolute(arg) && SCRIPTS.has(extname(arg)));
  const entries = await Promise.all([program, ...scripts].map(ofProgram));
  return entries.flat();
}

async function ofProgram(path: string): Promise<Entry[]> {
  if (!(await isFile(path)) || isInside(path, "/usr")) return [];
  const real = await realpath(path);
  const entries = (await Promise.all([...new Set([path, real])].map(ofFile))).flat();
  const isCovered = entries.some((entry) => entry.kind === "read" && isInside(path, entry.path));
  return isCovered ? entries : [...entries, { kind: "link", path, target: real }];
}

async function ofFile(path: string): Promise<Entry[]> {
  const folder = (await installation(path)) ?? (await packageOf(path));
  if (folder === undefined) return (await realpath(path)) === path ? [{ kind: "read", path }] : [];
  return [{ kind: "read", path: folder }, ...(await modulesAbove(folder))];
}

/** The installation folder of a Node version or a Python environment. */
async function installation(path: string): Promise<string | undefined> {
  const bin = dirname(path);
  const folder = dirname(bin);
  if (basename(bin) !== "bin" || isWide(folder)) return undefined;
  for (const sign of ["lib/node_modules", "pyvenv.cfg"]) if (await exists(join(folder, sign))) return folder;
  return undefined;
}

/** The nearest folder with a package manifest. */
async function packageOf(path: string): Promise<string | undefined> {
  for (const folder of foldersAbove(path)) {
    if (isWide(folder)) return undefined;
    for (const sign of ["package.json", "pyproject.toml"])
      if (await exists(join(folder, sign))) return folder;
  }
  return undefined;
}

async function modulesAbove(folder: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const above of foldersAbove(folder)) {
    const path = join(above, "node_modules");
    if (basename(above) !== "node_modules" && (await exists(path))) entries.push({ kind: "read", path });
  }
  return entries;
}

function* foldersAbove(path: string): Generator<string> {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) yield folder;
}

async function exists(path: string): Promise<boolean> {
  return (await statOf(path)) !== undefined;
}

async function isFile(path: string): Promise<boolean> {
  return (await statOf(path))?.isFile() ?? false;
}

async function statOf(path: string) {
  try {
    return await stat(path);
  } catch {
    return undefined;
  }
}
