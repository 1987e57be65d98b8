/**
 * Loads the parser, the highlighter and the formulas when they are needed: a page without answers needs none.
 *
 * @module
 */
import type { MarkdownParser } from "../../model/markdown/markdown-nodes.js";
import { Loaded, useLoaded } from "../loaded.js";
import type { FormulaOf } from "./formula.js";
import type { Highlight } from "./highlight.js";

const parser = new Loaded<MarkdownParser>(
  async () => (await import("../../model/markdown/markdown-parser.js")).parseMarkdown,
);
const highlighter = new Loaded<Highlight>(async () => (await import("./highlight.js")).highlight);
/** Large, and seldom needed. */
const formulas = new Loaded<FormulaOf>(async () => (await import("./formula.js")).formulaOf, "late");

/** The parser; undefined while it loads. Without it, the text stays as it is. */
export const useMarkdownParser = (): MarkdownParser | undefined => useLoaded(parser);
/** The highlighter; undefined while it loads, or is not wanted. */
export const useHighlighter = (isWanted: boolean): Highlight | undefined => useLoaded(highlighter, isWanted);
/** Renders formulas; undefined while it loads. */
export const useFormulas = (): FormulaOf | undefined => useLoaded(formulas);

/** Loads the parser before there is an answer, so that the first one does not change its looks. */
export const prepareMarkdown = parser.prepare;
