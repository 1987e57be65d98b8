/**
 * Folders and what is in them.
 *
 * @module
 */
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { checkName } from "../names.js";
import { pathInside } from "../read-document.js";
import { type DiscoveryProblem, problemFrom } from "./problem.js";
import { exists } from "./read-ui.js";

/** Not what an author put there to be found. */
const isHidden = (name: string): boolean => name.startsWith(".") || name === "node_modules";

/** The folders in a folder, one level deep, by name; and those that cannot be taken. */
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

/** All folders in a folder, and itself; those that links lead to are not among them. */
export async function allFolders(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => undefined);
  if (!entries) return [];
  const inner = entries.filter((entry) => entry.isDirectory() && !isHidden(entry.name));
  const deeper = await Promise.all(inner.map(({ name }) => allFolders(join(path, name))));
  return [path, ...deeper.flat()];
}

/** Changes when anything in a folder does. */
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
