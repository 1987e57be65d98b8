/**
 * Compiles the code of documents as a reader copies it. Each block is its own file. Beside it are only the
 * files that the same document shows under a name, or the project that `vitrine new` writes.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { PROJECT_TEMPLATES } from "../../packages/cli/src/new/project-templates.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const TEMPLATES = join(ROOT, "packages/cli/templates");
const BLOCK = /^```(tsx?|js)(?: source="([^"#]+)(#[^"]+)?")?\n([\s\S]*?)^```$/gm;
const IMPORT = /^(?:import|export|\}) (?:[^"`;]*? ?from )?"([^".][^"]*)";?/gm;

/** A document by its path in the repository. */
export interface Document {
  path: string;
  text: string;
}

interface Snippet {
  document: Document;
  /** The line of the document before the code. */
  line: number;
  code: string;
  /** Path of the code in the folder where it is compiled. */
  file: string;
  /** The template of `vitrine new` whose project has this file. */
  template?: string | undefined;
}

/** Errors of the compiler, with the document and the line of the code. */
export function compileErrors(documents: readonly Document[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-snippets-"));
  try {
    const snippets = new Map(documents.flatMap(snippetsOf).map((snippet) => [snippet.file, snippet]));
    for (const { file, template } of snippets.values()) if (template) writeProject(folder, file, template);
    for (const { file, code } of snippets.values()) write(join(folder, file), code);
    write(join(folder, "package.json"), '{ "type": "module" }');
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"), "junction");

    const files = [...snippets.keys()];
    const typescript = files.filter((file) => /\.tsx?$/.test(file));
    const javascript = files.filter((file) => /\.m?js$/.test(file));
    return [
      ...compile(folder, typescript, { strict: true, noUncheckedIndexedAccess: true }),
      ...compile(folder, javascript, { strict: false, checkJs: true }),
    ].map((error) => {
      const [, file = "", line = "", message] = /^(.+?)\((\d+),\d+\): (.+)$/.exec(error) ?? [];
      const snippet = snippets.get(file);
      return snippet ? `${snippet.document.path}:${snippet.line + Number(line)}: ${message}` : error;
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Packages that code imports although no command before it installs them. */
export function missingInstalls(document: Document): string[] {
  return snippetsOf(document).flatMap(({ line, code, template }) => {
    if (template) return []; // The project has them.
    const before = document.text.split("\n").slice(0, line).join("\n");
    const commands = [...before.matchAll(/\bnpm (?:i|install) ([^\n#&]+)/g)];
    const named = commands.flatMap(([, list = ""]) => list.trim().split(/\s+/));
    const installed = new Set(named.map((name) => name.replace(/(?<=.)@[\d.]+$/, ""))); // Without a version.
    const imported = [...code.matchAll(IMPORT)]
      .map(([, module = ""]) => /^(?:@[^/]+\/)?[^/]+/.exec(module)?.[0] ?? module)
      .filter((name) => !name.startsWith("node:") && !installed.has(name));
    return [...new Set(imported)].map((name) => `${document.path}:${line}: ${name}`);
  });
}

/** The TypeScript and JavaScript of a document. */
function snippetsOf(document: Document): Snippet[] {
  const { path, text } = document;
  return [...text.matchAll(BLOCK)].map(({ index, 1: language, 2: source = "", 3: region, 4: code = "" }) => {
    const line = text.slice(0, index).split("\n").length;
    const [, part, rest = ""] = /cli\/templates\/([\w-]+)\/(.+)$/.exec(source) ?? [];
    if (part) {
      const template = templateWith(part);
      return { document, line, code, template, file: posix.join(path, template, rest) };
    }
    const name = posix.basename(source);
    const isNamed = !region && source && namesIn(text).has(name.replace(/\.tsx?$/, ".js"));
    return { document, line, code, file: posix.join(path, isNamed ? name : `line-${line}.${language}`) };
  });
}

/** The names of files in a text. A `.ts` file is imported as `.js`. */
const namesIn = (text: string): Set<string> =>
  new Set(
    [...text.matchAll(/`(?:[\w.-]+\/)*([\w.-]+\.(?:tsx?|m?js))`/g)].map(([, name = ""]) =>
      name.replace(/\.tsx?$/, ".js"),
    ),
  );

/** The template of `vitrine new` that has a part. */
function templateWith(part: string): string {
  const found = [...PROJECT_TEMPLATES].find(
    ([name, { parts }]) => name === part || parts.some(({ from }) => from === part),
  );
  if (!found) throw new Error(`no template has the part ${part}`);
  return PROJECT_TEMPLATES.has(part) ? part : found[0];
}

/** Writes the project of a template around one of its files. */
function writeProject(folder: string, file: string, template: string): void {
  const project = join(folder, file.slice(0, file.indexOf(`/${template}/`)), template);
  for (const { from, to = "." } of PROJECT_TEMPLATES.get(template)?.parts ?? [])
    cpSync(join(TEMPLATES, from), join(project, to), { recursive: true });
}

/** Runs the compiler over some files, and returns its errors. */
function compile(folder: string, files: readonly string[], options: object): string[] {
  if (files.length === 0) return [];
  const types = files
    .map((file) => join(dirname(file), "types.d.ts"))
    .filter((file) => existsSync(join(folder, file)));
  const compilerOptions = {
    target: "ES2022",
    lib: ["ES2023", "DOM", "DOM.Iterable"],
    module: "NodeNext",
    types: ["node"],
    jsx: "react-jsx",
    verbatimModuleSyntax: true,
    skipLibCheck: true,
    noEmit: true,
    allowJs: true,
    ...options,
  };
  write(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [...files, ...types] }));
  const tsc = [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", folder, "--pretty", "false"];
  const { status, stdout, stderr } = spawnSync(process.execPath, tsc, { cwd: folder, encoding: "utf8" });
  const errors = stdout.split("\n").filter((line) => line.includes(": error TS"));
  if (status !== 0 && errors.length === 0) throw new Error(`the compiler failed: ${stdout}${stderr}`);
  return errors;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
