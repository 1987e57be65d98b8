/**
 * Checks the prose of comments, test titles and documents: `npm run lint` fails on sentences without a subject,
 * and on words that have a usual name. Name the thing first, then say what it does.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** First words that lead to a sentence without a subject. */
const COMMENT = /^(What|One|Who|Such)\b/;
const TITLE = /^(what|who|whoever|such|one (?:that|who|whose|which))\b/i;
const PARAGRAPH = /^(What|Who|Such)\b(?!.*\?$)/;

/** Words of our own, with the usual word. */
const WORDS = new Map([
  [/\bcarriers?\b/i, "transport"],
  [/\bdesks?\b/i, "service"],
  [/\blanes?\b/i, "queue"],
  [/\bhush(?:es|ed)?\b/i, "mute"],
  [/\bspoil(?:s|ed|t)?\b/i, "invalidate"],
  [/\bpatience\b/i, "timeout"],
  [/\bdeeds?\b/i, "action"],
  [/\bhear(?:s|ers?)\b/i, "receives"],
  [/\bdoors?\b/i, "entry point"],
  [/\bin words\b/i, "as text"],
]);

const SOURCE = /\.(tsx?|mts|mjs|js|css)$/;
const TEST = /\.test\.tsx?$/;
const CALL = /\b(?:it|describe|test)(?:\.\w+)*\(\s*(["'`])(.*?)\1/g;
const TABLE_CALL = /\]\)\(\s*(["'`])(.*?)\1/g;
const CODES = /^(?:attack )?[A-Z]\d+\b[^:]*: /;

/** Problems in the text of a file, as `line: problem`. */
export function proseProblems(path, text) {
  const lines = text.split("\n");
  if (path.endsWith(".md")) return documentProblems(lines);
  return [...commentProblems(lines), ...(TEST.test(path) ? titleProblems(text) : [])];
}

function commentProblems(lines) {
  return lines.flatMap((line, index) => {
    const before = lines[index - 1] ?? "";
    const comment = /^\s*(?:\/\/|\/?\*\*?) (.*)$/.exec(line)?.[1] ?? / \/\/ (.*)$/.exec(line)?.[1];
    if (comment === undefined) return [];
    // A line comment that continues the line above is in the middle of a sentence.
    const isFirst = /^\s*\*/.test(line)
      ? /^\s*\/\*\*?$/.test(before)
      : !(/^\s*\/\/ /.test(line) && /^\s*\/\/ /.test(before));
    return [
      ...(isFirst ? openingProblems(comment, COMMENT, "the comment", index + 1) : []),
      ...wordProblems(comment, index + 1),
    ];
  });
}

function titleProblems(text) {
  return [CALL, TABLE_CALL].flatMap((call) =>
    [...text.matchAll(call)].flatMap((match) => {
      const line = text.slice(0, match.index + match[0].lastIndexOf(match[1] + match[2])).split("\n").length;
      const title = match[2].replace(CODES, "");
      return [...openingProblems(title, TITLE, "the title", line), ...wordProblems(title, line)];
    }),
  );
}

function documentProblems(lines) {
  let isCode = false;
  return lines.flatMap((line, index) => {
    if (/^\s*```/.test(line)) isCode = !isCode;
    if (isCode) return [];
    const item = /^\s*(?:[-*]|\d+\.) (.*)$/.exec(line)?.[1];
    const isFirst = item !== undefined || (lines[index - 1] ?? "").trim() === "";
    return [
      ...(isFirst ? openingProblems(item ?? line, PARAGRAPH, "the paragraph", index + 1) : []),
      ...wordProblems(line, index + 1),
    ];
  });
}

function openingProblems(sentence, pattern, what, line) {
  const word = pattern.exec(sentence)?.[1];
  return word ? [`${line}: ${what} begins with "${word}": name the thing first`] : [];
}

function wordProblems(sentence, line) {
  const prose = sentence.replace(/`[^`]*`/g, "").replace(/\]\([^)]*\)/g, "]");
  return [...WORDS].flatMap(([pattern, usual]) => {
    const word = pattern.exec(prose)?.[0];
    return word ? [`${line}: "${word}" is a word of our own: the usual one is "${usual}"`] : [];
  });
}

function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return /^(dist|node_modules|vendor)$/.test(entry.name) ? [] : filesIn(path);
    return SOURCE.test(entry.name) || entry.name.endsWith(".md") ? [path] : [];
  });
}

/** Has sentences that the check must find. */
const SPECIMENS = join("testing", "docs", "prose.test.ts");

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const folders = ["packages", "testing", "scripts", "bench", "examples", "docs"];
  const files = [...folders.flatMap(filesIn), "README.md", "CONTRIBUTING.md", "SECURITY.md"];
  const checked = files.filter((path) => path !== SPECIMENS);
  const problems = checked.flatMap((path) =>
    proseProblems(path, readFileSync(path, "utf8")).map((problem) => `${path}:${problem}`),
  );
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
