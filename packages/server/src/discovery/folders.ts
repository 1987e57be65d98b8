/**
 * Lists folders and their contents.
 *
 * @module
 */
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { checkName } from "../names.js";
import { pathInside } from "../read-document.js";
import { type DiscoveryProblem, problemFrom } from "./problem.js";
import { exists } from "./read-ui.js";

/** Folders to skip: hidden ones, and installed packages. */
const isHidden = (name: string): boolean => name.startsWith(".") || name === "node_modules";

/** The direct subfolders, sorted by name, and problems of those that cannot be used. */
export async function foldersIn(
  root: string,
  folder: string,
): Promise<{ names: string[]; problems: DiscoveryProblem[] }> {
  const names: string[] = [];
  const problems: DiscoveryProblem[] = [];
  if (!(await exists(join(root, folder)))) return { names, problems };
  try {
    const entries = await readdir(await pathInside(root, folder), { withFileTypes: true });
    for (const entry of entries.filter(({ name }) => !isHidden(name))) {
      if (entry.isFile()) continue;
      try {
        checkName(entry.name, "folder");
        await pathInside(root, `${folder}/${entry.name}`);
        if (entry.isDirectory()) names.push(entry.name);
      } catch (error) {
        problems.push(problemFrom(error, `${folder}/${entry.name}`));
      }
    }
  } catch (error) {
    problems.push(problemFrom(error, folder));
  }
  return { names: names.sort(), problems };
}

/** A string that changes whenever the folder's contents change. */
export async function markOf(path: string, except?: string): Promise<string> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  const marks = entries
    .filter(({ name }) => !isHidden(name) && name !== except)
    .map(async (entry) => {
      const inner = join(path, entry.name);
      if (entry.isDirectory()) return `${entry.name}/(${await markOf(inner)})`;
      const file = await lstat(inner).catch(() => undefined);
      return `${entry.name} ${file && [file.mode, file.ino, file.size, file.mtimeMs, file.ctimeMs].join(" ")}`;
    });
  return (await Promise.all(marks)).sort().join("\n");
}
