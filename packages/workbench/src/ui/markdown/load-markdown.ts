/**
 * Loads the parser, the highlighter and the formulas when they are needed: a page without answers needs none.
 *
 * @module
 */
import { useEffect, useState } from "react";
import type { MarkdownParser } from "../../model/markdown/markdown-nodes.js";
import type { FormulaOf } from "./formula.js";
import type { Highlight } from "./highlight.js";

/** A part of the page's code that is loaded once. */
class Loaded<T> {
  readonly #load: () => Promise<T>;
  #loading: Promise<T> | undefined;
  value: T | undefined;

  constructor(load: () => Promise<T>) {
    this.#load = load;
  }

  /** Loads it. A failure is tried again with the next call. */
  async load(): Promise<T> {
    this.#loading ??= this.#load();
    try {
      this.value = await this.#loading;
      return this.value;
    } catch (error) {
      this.#loading = undefined;
      throw error;
    }
  }
}

const parser = new Loaded<MarkdownParser>(
  async () => (await import("../../model/markdown/markdown-parser.js")).parseMarkdown,
);
const highlighter = new Loaded<Highlight>(async () => (await import("./highlight.js")).highlight);
const formulas = new Loaded<FormulaOf>(async () => (await import("./formula.js")).formulaOf);

/** The parser; undefined while it loads. */
export const useMarkdownParser = (): MarkdownParser | undefined => useLoaded(parser, true);
/** The highlighter; undefined while it loads, or is not wanted. */
export const useHighlighter = (isWanted: boolean): Highlight | undefined => useLoaded(highlighter, isWanted);
/** Renders formulas; undefined while it loads. */
export const useFormulas = (): FormulaOf | undefined => useLoaded(formulas, true);

/** Loads the parser before there is an answer, so that the first one does not change its looks. */
export async function prepareMarkdown(): Promise<void> {
  // Tried again with the first answer.
  await parser.load().catch(() => {});
}

function useLoaded<T>(part: Loaded<T>, isWanted: boolean): T | undefined {
  const [, setLoaded] = useState(part.value !== undefined);
  useEffect(() => {
    if (!isWanted || part.value !== undefined) return undefined;
    let isThere = true;
    // Without it, the text stays as it is.
    part.load().then(
      () => isThere && setLoaded(true),
      () => {},
    );
    return () => {
      isThere = false;
    };
  }, [part, isWanted]);
  return isWanted ? part.value : undefined;
}
