/**
 * Checks that a script is self-contained: a view cannot load other modules or files.
 *
 * @module
 */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { DefinitionError } from "./errors.js";
import { nameInFolder } from "./name-in-folder.js";
import { type ScriptString, stringsOf } from "./script-strings.js";

/** A script and its origin. */
export interface Script {
  readonly code: string;
  /** Its name in messages. */
  readonly name: string;
  /** Its file in the folder, or the file of its page: relative addresses start there. */
  readonly file: string;
  readonly folder: string;
  /** The page itself, which no script may load. */
  readonly entry: string;
  /** The page's import map. */
  readonly imports: ReadonlyMap<string, string>;
}

/** Modules that a view can load if its `csp` allows it. */
const LOADABLE = /^(?:https:|data:|blob:|http:\/\/(?:localhost|127\.0\.0\.1)[:/])/i;

/** Matches a possible import or file name. Most scripts have none and skip the slow tokenizer. */
const SUSPECT = /\bimport\s*[("'`/]|\bfrom\s*["'`/]|\bimport\.meta\.url|["'`]\/[^/"'`\s][^"'`\s]*\.\w/;

/** @throws {DefinitionError} `view-not-whole` */
export async function checkScript(script: Script): Promise<void> {
  const { code, name, imports } = script;
  if (!SUSPECT.test(code)) return;
  const seen = new Set<string>();
  for (const string of stringsOf(code)) {
    const { text } = string;
    if (isImported(string)) {
      // A template that starts with a value is known only at run time.
      if (text !== "" && !LOADABLE.test(mapped(text, imports))) throw importError(name, text);
      continue;
    }
    const file = fileOf(string, script);
    if (file === undefined || seen.has(file)) continue;
    seen.add(file);
    if (file !== script.entry && (await isFile(join(script.folder, file)))) throw fileError(name, text);
  }
}

/**
 * Whether the string is imported: `from "…"`, `import "…"` or `import("…")`. Before a string, `from` and
 * `import` have no other meaning.
 */
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

/**
 * The file that a string names: from the root, or relative to the script with `new URL("…",
 * import.meta.url)`.
 */
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
    `${name} uses the file ${address}, which a view cannot load: import it, and let the bundler inline it (in Vite: raise build.assetsInlineLimit)`,
  );
