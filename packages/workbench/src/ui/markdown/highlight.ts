/**
 * Highlights code. Loaded when there is code.
 *
 * @module
 */
import { type ParseOptions, parse } from "sugar-high/core";
import { lang, languages } from "sugar-high/lang";

/** A part of code: `kind` is undefined for text without a colour. */
export interface CodePart {
  readonly text: string;
  readonly kind?: string | undefined;
}

/** Returns the parts of code; undefined if its language is unknown. */
export type Highlight = (code: string, language: string) => readonly CodePart[] | undefined;

/** Maximum characters: a longer text has no colours. */
const MOST = 20_000;
/** In HTML, the time grows with the square of the number of tags. */
const MOST_OF_HTML = 5_000;

const KINDS: Readonly<Record<string, string>> = {
  keyword: "keyword",
  string: "string",
  comment: "comment",
  class: "value",
  property: "property",
  entity: "name",
};

const DIFF: Readonly<Record<string, string>> = { "+": "added", "-": "removed", "@": "comment" };

/** Highlights code of a known language. */
export const highlight: Highlight = (code, language) => {
  const options = optionsOf(language, code.length);
  if (!options) return undefined;
  const parts: CodePart[] = [];
  if (lang(language) === "diff") {
    for (const [line] of code.matchAll(/[^\n]*\n|[^\n]+$/g)) push(parts, line, DIFF[line[0] ?? ""]);
    return parts;
  }
  for (const [at, { tokens }] of parse(code, options).lines.entries()) {
    if (at > 0) push(parts, "\n", undefined);
    for (const { type, value } of tokens) push(parts, value, KINDS[type]);
  }
  // The text is the user's: without colours rather than different.
  return parts.map(({ text }) => text).join("") === code ? parts : undefined;
};

/** Adjacent parts of one kind become one. */
function push(parts: CodePart[], text: string, kind: string | undefined): void {
  const last = parts.at(-1);
  if (last && last.kind === kind) parts[parts.length - 1] = { text: last.text + text, kind };
  else parts.push({ text, kind });
}

/** The options of a language, by its name, alias or file extension; undefined if the code is too long for it. */
function optionsOf(language: string, length: number): ParseOptions | undefined {
  const name = lang(language);
  const config = languages.find(({ id }) => id === name)?.config;
  if (!config || length > (name === "html" ? MOST_OF_HTML : MOST)) return undefined;
  // With JSX, a line of `a<a<a<…` takes seconds.
  return name === "html" ? config : { ...config, jsx: false };
}
