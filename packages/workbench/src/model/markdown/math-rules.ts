/**
 * Formulas in Markdown: `$…$` and `\(…\)` in a line, `$$…$$` and `\[…\]` on their own.
 *
 * @module
 */
import type { MarkdownIt } from "markdown-it";

/** Maximum characters of a formula. A longer one is text, so that no search for an end takes long. */
export const MAX_FORMULA = 2_000;

/** Adds the rules to a parser. Their tokens are `math_inline` and `math_block`. */
export function mathRules(parser: MarkdownIt): void {
  // Before `escape`, which would take `\(` for an escaped bracket.
  parser.inline.ruler.before("escape", "math_inline", (state, silent) => {
    const found = formulaAt(state.src, state.pos);
    if (!found) return false;
    if (!silent) {
      const token = state.push(found.isBlock ? "math_block" : "math_inline", "", 0);
      token.content = found.tex;
    }
    state.pos = found.end;
    return true;
  });
  parser.block.ruler.before(
    "fence",
    "math_block",
    (state, startLine, endLine, silent) => {
      const start = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0);
      const open = state.src.slice(start, start + 2);
      const close = open === "$$" ? "$$" : open === "\\[" ? "\\]" : undefined;
      if (close === undefined || (state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false;
      const lines: string[] = [];
      let length = 0;
      for (let line = startLine; line < endLine && length <= MAX_FORMULA; line++) {
        const from = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0);
        const text = state.src.slice(line === startLine ? from + 2 : from, state.eMarks[line]);
        // A formula ends before the block that it is in.
        if (line > startLine && (state.sCount[line] ?? 0) < state.blkIndent && text !== "") return false;
        const end = text.indexOf(close);
        if (end >= 0) {
          // Text after the end makes it a formula in a paragraph.
          if (text.slice(end + 2).trim() !== "") return false;
          if (silent) return true;
          const token = state.push("math_block", "", 0);
          token.content = [...lines, text.slice(0, end)].join("\n").trim();
          token.map = [startLine, line + 1];
          state.line = line + 1;
          return true;
        }
        lines.push(text);
        length += text.length + 1;
      }
      return false;
    },
    { alt: ["paragraph", "reference", "blockquote", "list"] },
  );
}

/** The formula that begins at a place of a text. */
function formulaAt(text: string, at: number): { tex: string; end: number; isBlock: boolean } | undefined {
  const two = text.slice(at, at + 2);
  const isBlock = two === "$$" || two === "\\[";
  const [open, close] =
    two === "$$"
      ? ["$$", "$$"]
      : two === "\\["
        ? ["\\[", "\\]"]
        : two === "\\("
          ? ["\\(", "\\)"]
          : ["$", "$"];
  if (!text.startsWith(open, at)) return undefined;
  const from = at + open.length;
  const window = text.slice(from, from + MAX_FORMULA);
  const end = open === "$" ? dollarEnd(window) : window.indexOf(close);
  if (end <= 0) return undefined;
  const tex = window.slice(0, end);
  return tex.trim() === "" ? undefined : { tex: tex.trim(), end: from + end + close.length, isBlock };
}

/**
 * The end of a formula in single dollars, by the rule of Pandoc: no blank beside a dollar on the inside, and
 * no digit after the end, so that “$5 and $10” is not a formula.
 */
function dollarEnd(window: string): number {
  if (/^[\s$]/.test(window)) return -1;
  for (let end = window.indexOf("$"); end >= 0; end = window.indexOf("$", end + 1)) {
    if (window[end - 1] === "\\") continue;
    return /\s/.test(window[end - 1] ?? " ") || /\d/.test(window[end + 1] ?? "") ? -1 : end;
  }
  return -1;
}
