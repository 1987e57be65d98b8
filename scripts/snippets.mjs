/**
 * Keeps the code in doc comments and documents the same as code that is compiled. A fence names its source,
 * "```ts source="./peer.examples.ts#peer"", and this script puts the region of that name into it.
 *
 * `node scripts/snippets.mjs` writes; with `--check` it only says what differs, and fails.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const check = process.argv.includes("--check");
const FENCE =
  /^([ \t]*(?:\*[ \t])?)(```\w+ source="([^"#]+)(?:#([\w-]+))?")\n(?:[\s\S]*?\n)??[ \t]*(?:\*[ \t])?```$/gm;

const files = ["README.md", "CONTRIBUTING.md", ...walk("docs"), ...walk("packages")].filter(
  (path) => /\.(md|tsx?)$/.test(path) && existsSync(path),
);
const problems = [];
for (const path of files) {
  const text = readFileSync(path, "utf8");
  const next = text.replace(FENCE, (_whole, indent, opening, source, region) => {
    const code = snippet(resolve(dirname(path), source), region, `${path}: ${source}#${region}`);
    const lines = [opening, ...code, "```"].map((line) => (indent + line).trimEnd());
    return lines.join("\n");
  });
  if (next === text) continue;
  if (check) problems.push(`${path} shows other code than its source: run \`npm run snippets\``);
  else writeFileSync(path, next);
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length ? 1 : 0;

/** The lines of a region, without the indentation that they share. */
function snippet(file, region, where) {
  if (!existsSync(file)) {
    problems.push(`${where}: no such file`);
    return [];
  }
  let lines = readFileSync(file, "utf8").trimEnd().split("\n");
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
  return lines.map((line) => line.slice(shared));
}

function walk(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return /^(dist|node_modules)$/.test(entry.name) ? [] : walk(path);
    return [path];
  });
}
