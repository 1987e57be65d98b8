/**
 * Reads the files of `templates/`, and puts names into them.
 *
 * @module
 */
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import type { Part } from "./project-templates.js";

/** Files by their paths, from the folder that they will be in; with `/` on every system. */
export type Files = Map<string, string | Uint8Array>;

/** What stands in a template, and what takes its place: as pairs, in order. */
export type Replacements = readonly (readonly [string, string])[];

const TEMPLATES = fileURLToPath(new URL("../../templates/", import.meta.url));

/** npm would take these for files of this package. */
const RENAMED: Readonly<Record<string, string>> = {
  "_package.json": "package.json",
  _gitignore: ".gitignore",
};

/** What people call a view can be any text: it stays text in a file of this kind. */
const ESCAPES: Readonly<Record<string, (value: string) => string>> = {
  ".json": (value) => JSON.stringify(value).slice(1, -1),
  ".html": (value) => value.replaceAll("&", "&amp;").replaceAll("<", "&lt;"),
};

/** The files of some folders of `templates/`, together. */
export async function readParts(parts: readonly Part[], replacements: Replacements): Promise<Files> {
  const files: Files = new Map();
  for (const { from, to = "" } of parts) {
    for (const path of await filesIn(join(TEMPLATES, from))) {
      const name = posix.basename(path);
      const target = posix.join(to, posix.dirname(path), RENAMED[name] ?? name);
      const text = await readFile(join(TEMPLATES, from, path), "utf8");
      files.set(target, replaced(text, replacements, ESCAPES[posix.extname(name)]));
    }
  }
  return files;
}

/** What is in a folder of `templates/`, by name. */
export async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(join(TEMPLATES, folder))).sort();
}

/** The view's runtime as a file, for a page without a build. */
export function readRuntime(): Promise<string> {
  return readFile(createRequire(import.meta.url).resolve("@vitrine/view/vitrine.js"), "utf8");
}

/** The name of that file in a page's folder. */
export const RUNTIME = "vitrine.js";

async function filesIn(folder: string, path = ""): Promise<string[]> {
  const entries = await readdir(join(folder, path), { withFileTypes: true });
  const found = entries.map((entry) => {
    const inner = posix.join(path, entry.name);
    return entry.isDirectory() ? filesIn(folder, inner) : [inner];
  });
  return (await Promise.all(found)).flat().sort();
}

const replaced = (
  text: string,
  replacements: Replacements,
  written: (value: string) => string = (value) => value,
): string => replacements.reduce((done, [from, to]) => done.replaceAll(from, () => written(to)), text);
