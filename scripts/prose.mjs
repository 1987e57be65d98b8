/**
 * Checks the prose of comments: `npm run lint` fails on a comment that begins with a word of {@link OPENINGS}.
 * Such sentences have no subject. Name the thing first, then say what it does.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** First words that lead to a sentence without a subject. */
const OPENINGS = ["What", "One", "Who", "Such"];

/** Packages whose prose is not plain yet. Take a package off this list once it passes. */
const EXEMPT = [];

const SOURCE = /\.(tsx?|mts|mjs|js|css)$/;
const BEGINNING = new RegExp(`^\\s*(?://|/\\*\\*?) (${OPENINGS.join("|")})\\b`);
const FIRST_LINE = new RegExp(`^\\s*\\* (${OPENINGS.join("|")})\\b`);

const problems = [];
for (const name of readdirSync("packages")) {
  if (EXEMPT.includes(name)) continue;
  for (const path of walk(join("packages", name))) {
    const lines = readFileSync(path, "utf8").split("\n");
    lines.forEach((line, index) => {
      const isFirst = /^\s*\/\*\*$/.test(lines[index - 1] ?? "");
      // A line comment that continues the line above is in the middle of a sentence.
      const isContinued = /^\s*\/\/ /.test(line) && /^\s*\/\/ /.test(lines[index - 1] ?? "");
      const [, word] = (!isContinued && BEGINNING.exec(line)) || (isFirst && FIRST_LINE.exec(line)) || [];
      if (word)
        problems.push(`${path}:${index + 1}: the comment begins with "${word}": name the thing first`);
    });
  }
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length ? 1 : 0;

function walk(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return /^(dist|node_modules)$/.test(entry.name) ? [] : walk(path);
    return SOURCE.test(entry.name) ? [path] : [];
  });
}
