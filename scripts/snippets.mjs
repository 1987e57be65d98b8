/**
 * Keeps the code in doc comments and documents the same as compiled code. A fence names its source, "```ts
 * source="./peer.examples.ts#peer"", and this script inserts the region of that name. In a document, the
 * imports that the region uses come before it, so that readers can copy the code unchanged.
 *
 * `node scripts/snippets.mjs` writes; with `--check` it only reports differences, and fails.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const check = process.argv.includes("--check");
const FENCE =
  /^([ \t]*(?:\*[ \t])?)(```\w+ source="([^"#]+)(?:#([\w-]+))?")\n(?:[\s\S]*?\n)??[ \t]*(?:\*[ \t])?```$/gm;

const files = ["README.md", "CONTRIBUTING.md", ...walk("docs"), ...walk("packages")].filter(
  (path) => /\.(md|tsx?)$/.test(path) && existsSync(path),
);
/** Comments, strings and names of properties: words in code that use no import. */
const UNUSED = /^\s*(?:\/\/|\*|\/\*).*$|"(?:[^"\\\n]|\\.)*"|(?<!\.)\.[\w$]+|[\w$]+\??:/gm;
const LINE_WIDTH = 110; // As in biome.json.
const problems = [];
for (const path of files) {
  const text = readFileSync(path, "utf8");
  const next = text.replace(FENCE, (_whole, indent, opening, source, region) => {
    const where = `${path}: ${source}#${region}`;
    const code = snippet(resolve(dirname(path), source), region, { where, isDocument: path.endsWith(".md") });
    const lines = [opening, ...code, "```"].map((line) => (indent + line).trimEnd());
    return lines.join("\n");
  });
  if (next === text) continue;
  if (check) problems.push(`${path} shows other code than its source: run \`npm run snippets\``);
  else writeFileSync(path, next);
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length ? 1 : 0;

/** The lines of a region, without their common indentation. */
function snippet(file, region, { where, isDocument }) {
  if (!existsSync(file)) {
    problems.push(`${where}: no such file`);
    return [];
  }
  const text = readFileSync(file, "utf8").trimEnd();
  let lines = text.split("\n");
  if (region) {
    const from = lines.findIndex((line) => line.trim() === `//#region ${region}`);
    const to = lines.findIndex((line, index) => index > from && line.trim() === `//#endregion ${region}`);
    if (from < 0 || to < 0) {
      problems.push(`${where}: no such region`);
      return [];
    }
    lines = lines.slice(from + 1, to);
  }
  const indents = lines.filter((line) => line.trim()).map((line) => line.length - line.trimStart().length);
  const shared = Math.min(...indents);
  const code = lines.map((line) => line.slice(shared));
  if (!region || !isDocument) return code;
  const body = code.join("\n").trimEnd().split("\n");
  const imports = importsFor(text, body.join("\n"), where);
  return imports.length ? [...imports, "", ...body] : body;
}

/** The import statements of a file, reduced to the names that the code uses. */
function importsFor(text, code, where) {
  const words = new Set(code.replace(UNUSED, " ").match(/[\w$]+/g));
  return [...text.matchAll(/^import (type )?\{([^}]*)\} from "([^"]+)";$/gm)].flatMap((found) => {
    const [whole, isType, list, module] = found;
    if (code.includes(whole)) return [];
    const used = list
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name && words.has(name.split(" ").at(-1)));
    if (used.length === 0) return [];
    if (module.startsWith("."))
      problems.push(
        `${where}: ${used.join(", ")} comes from ${module}: import it by the name of its package`,
      );
    return importLines(used, isType, module);
  });
}

/** An import statement in the formatter's style. */
function importLines(names, isType, module) {
  const onlyTypes = isType || names.every((name) => name.startsWith("type "));
  const list = onlyTypes ? names.map((name) => name.replace("type ", "")) : names;
  const line = `import ${onlyTypes ? "type " : ""}{ ${list.join(", ")} } from "${module}";`;
  if (line.length <= LINE_WIDTH) return [line];
  return [`import ${onlyTypes ? "type " : ""}{`, ...list.map((name) => `  ${name},`), `} from "${module}";`];
}

function walk(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return /^(dist|node_modules)$/.test(entry.name) ? [] : walk(path);
    return [path];
  });
}
