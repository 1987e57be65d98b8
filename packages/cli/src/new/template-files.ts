/**
 * Reads the files of `templates/`, and replaces names in them.
 *
 * @module
 */
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import type { TemplatePart } from "./project-templates.js";

/** Files by relative path, with `/` on every system. */
export type Files = Map<string, string | Uint8Array>;

/** Pairs of placeholder and replacement, in order. */
export type Replacements = readonly (readonly [string, string])[];

const TEMPLATES = fileURLToPath(new URL("../../templates/", import.meta.url));

/** Stored under other names, because npm would treat these as files of this package. */
const RENAMED: Readonly<Record<string, string>> = {
  "_package.json": "package.json",
  _gitignore: ".gitignore",
};

/** Escapes display names, which can be any text, by file type. */
const ESCAPES: Readonly<Record<string, (value: string) => string>> = {
  ".json": (value) => JSON.stringify(value).slice(1, -1),
  ".html": (value) => value.replaceAll("&", "&amp;").replaceAll("<", "&lt;"),
};

/** The combined files of several folders in `templates/`. */
export async function readParts(parts: readonly TemplatePart[], replacements: Replacements): Promise<Files> {
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

/** The sorted names in a folder of `templates/`. */
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
