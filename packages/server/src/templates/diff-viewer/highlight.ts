/**
 * Highlights code of any language by the syntax that most share: comments, strings, numbers and common
 * keywords.
 *
 * @module
 */
import { element } from "../page/dom.js";

const KEYWORDS =
  "and|as|async|await|break|case|catch|class|const|continue|def|do|elif|else|enum|export|extends|false|finally|fn|for|from|func|function|if|import|in|interface|let|match|new|nil|None|not|null|or|private|public|return|self|static|struct|switch|this|throw|true|True|False|try|type|var|void|while|with|yield";
const TOKENS = new RegExp(
  [
    String.raw`(?<comment>(?<!:)\/\/.*|\/\*.*?(?:\*\/|$)|<!-{2}.*?(?:-->|$)|(?<!\S)(?:#|--)\s.*)`,
    String.raw`(?<string>"(?:\\.|[^"\\])*"|(?<!\w)'(?:\\.|[^'\\])*'|\x60(?:\\.|[^\x60\\])*\x60)`,
    String.raw`(?<number>\b(?:0x[\da-fA-F]+|\d[\d_]*(?:\.\d+)?(?:e[-+]?\d+)?)\b)`,
    String.raw`(?<keyword>\b(?:${KEYWORDS})\b)`,
  ].join("|"),
  "g",
);

/** The parts of a line: plain text, and elements for highlighted tokens. */
export function highlight(line: string): (string | HTMLElement)[] {
  const parts: (string | HTMLElement)[] = [];
  let end = 0;
  // Very long lines are usually generated.
  if (line.length > 2000) return [line];
  for (const { 0: text, index, groups = {} } of line.matchAll(TOKENS)) {
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined);
    parts.push(line.slice(end, index), element("span", { class: kind }, text));
    end = index + text.length;
  }
  return [...parts, line.slice(end)];
}
