/**
 * Whether a script is whole: in a view there are no other modules and no files that it could load.
 *
 * @module
 */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { DefinitionError } from "./errors.js";
import { nameInFolder } from "./name-in-folder.js";
import { type ScriptString, stringsOf } from "./script-strings.js";

/** A script, and where it comes from. */
export interface Script {
  readonly code: string;
  /** What it is called in messages. */
  readonly name: string;
  /** Its file in the folder, or that of the page that it is in: relative addresses are from there. */
  readonly file: string;
  readonly folder: string;
  /** The page, which nothing loads. */
  readonly entry: string;
  /** What the page's import map has. */
  readonly imports: ReadonlyMap<string, string>;
}

/** Modules that a view can load, if its `csp` lets it. */
const LOADABLE = /^(?:https:|data:|blob:|http:\/\/(?:localhost|127\.0\.0\.1)[:/])/i;

/** What may be an import, or name a file. Most scripts have none of it, and need not be read closely, which takes long. */
const SUSPECT = /\bimport\s*[("'`/]|\bfrom\s*["'`/]|\bimport\.meta\.url|["'`]\/[^/"'`\s][^"'`\s]*\.\w/;

/** @throws {DefinitionError} `view-not-whole` */
export async function checkScript(script: Script): Promise<void> {
  const { code, name, imports } = script;
  if (!SUSPECT.test(code)) return;
  const seen = new Set<string>();
  for (const string of stringsOf(code)) {
    const { text } = string;
    if (isImported(string)) {
      // What only the running script knows begins with a value.
      if (text !== "" && !LOADABLE.test(mapped(text, imports))) throw importError(name, text);
      continue;
    }
    const file = fileOf(string, script);
    if (file === undefined || seen.has(file)) continue;
    seen.add(file);
    if (file !== script.entry && (await isFile(join(script.folder, file)))) throw fileError(name, text);
  }
}

/** `from "…"`, `import "…"` and `import("…")`. Before a text, `from` and `import` mean nothing else. */
function isImported({ before: [last, second, third] }: ScriptString): boolean {
  if (last === "from" || last === "import") return second !== ".";
  return last === "(" && second === "import" && third !== ".";
}

function mapped(specifier: string, imports: ReadonlyMap<string, string>): string {
  const whole = imports.get(specifier);
  if (whole !== undefined) return whole;
  const prefixes = [...imports.keys()].filter((key) => key.endsWith("/") && specifier.startsWith(key));
  const [longest] = prefixes.sort((one, other) => other.length - one.length);
  return longest === undefined ? specifier : `${imports.get(longest)}${specifier.slice(longest.length)}`;
}

/** The file that a text names: from the root, or from the script with `new URL("…", import.meta.url)`. */
function fileOf(
  { text, before: [last, second], end }: ScriptString,
  { code, file }: Script,
): string | undefined {
  if (text.length > 300 || !/^[^\s:"'<>]+\.\w+(?:[?#]\S*)?$/.test(text)) return undefined;
  const isUrl =
    last === "(" && second === "URL" && /^\s*,\s*import\.meta\.url/.test(code.slice(end, end + 100));
  if (!isUrl && !/^\/[^/]/.test(text)) return undefined;
  return nameInFolder(file, text);
}

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );

const importError = (name: string, specifier: string): DefinitionError =>
  new DefinitionError(
    "view-not-whole",
    `${name} imports ${specifier}, which a view cannot load: build one file (in Vite: build.rollupOptions.output.inlineDynamicImports)`,
  );

const fileError = (name: string, address: string): DefinitionError =>
  new DefinitionError(
    "view-not-whole",
    `${name} names the file ${address}, which a view cannot load: import it, and have the bundler put it into the script (in Vite: raise build.assetsInlineLimit)`,
  );
