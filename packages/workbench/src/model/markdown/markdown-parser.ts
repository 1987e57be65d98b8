/**
 * Parses Markdown with markdown-it into {@link MarkdownBlock}s (docs/decisions/028). Loaded when there is
 * something to parse.
 *
 * @module
 */
import NewMarkdownIt, { type MarkdownIt, type Token } from "markdown-it";
import { linkTarget } from "./link-target.js";
import type { MarkdownBlock, MarkdownDefinitions, ParsedBlock } from "./markdown-nodes.js";
import { blocksOf } from "./markdown-tree.js";
import { mathRules } from "./math-rules.js";
import { limitTables } from "./table-limit.js";
import { visibleText } from "./visible-text.js";

/** Maximum depth of blocks and of inline text. Deeper blocks are shown as their source. */
const DEPTH = 24;
/** Maximum characters of a block, and of text in one: longer ones are shown as they are. */
const MAX_BLOCK = 60_000;
const MAX_INLINE = 10_000;

/** Makes the parser: GitHub's tables and strikethrough, formulas, bare addresses as links; no HTML. */
function newParser(): MarkdownIt {
  const parser = new NewMarkdownIt({ html: false, linkify: true, breaks: true, maxNesting: DEPTH });
  // Without a scheme, file names such as `readme.md` would become links.
  parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  // A link with any other target stays as its source, and the user sees both parts.
  parser.validateLink = (address) => linkTarget(address) !== undefined;
  mathRules(parser);
  limitTables(parser);
  parser.core.ruler.before("inline", "long_text", ({ tokens }) => {
    for (const token of tokens)
      if (token.type === "inline" && token.content.length > MAX_INLINE) asText(token);
  });
  return parser;
}

const parser = newParser();

/** Parses a text. */
export function parseMarkdown(text: string, definitions: MarkdownDefinitions): ParsedBlock[] {
  const tokens = parser.parse(text, { references: definitions });
  const lines = text.split("\n");
  const blocks: ParsedBlock[] = [];
  for (let from = 0; from < tokens.length; ) {
    const end = endOf(tokens, from);
    const own = tokens.slice(from, end);
    from = end;
    const [first] = own;
    if (!first?.map) continue;
    const [line, after] = first.map;
    const source = (): string => lines.slice(line, after).join("\n").trimEnd();
    const block = isTooDeep(own) || lengthOf(own) > MAX_BLOCK ? plain(source()) : blocksOf(own)[0];
    if (block) blocks.push({ block, line, end: after });
  }
  return blocks;
}

const plain = (text: string): MarkdownBlock => ({ kind: "plain", text: visibleText(text) });

/** The parser drops blocks at this level. */
const isTooDeep = (tokens: readonly Token[]): boolean =>
  tokens.some(({ level, nesting }) => nesting === 1 && level >= DEPTH - 1);

/** Characters of the blocks in a block; code is not limited, because it is not parsed. */
const lengthOf = (tokens: readonly Token[]): number =>
  tokens.reduce((sum, { type, content }) => sum + (type === "inline" ? content.length : 0), 0);

/** The position after the block that begins at a position. */
function endOf(tokens: readonly Token[], from: number): number {
  let depth = 0;
  for (let at = from; at < tokens.length; at++) {
    depth += tokens[at]?.nesting ?? 0;
    if (depth === 0) return at + 1;
  }
  return tokens.length;
}

/** Keeps a text as it is; the parser reads nothing in it. */
function asText(token: Token): void {
  const { content } = token;
  token.type = "long_text";
  token.children = null;
  token.content = content;
}
