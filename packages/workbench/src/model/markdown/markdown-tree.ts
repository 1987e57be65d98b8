/**
 * Builds the parts of a Markdown text from the parser's flat list of tokens.
 *
 * @module
 */
import type { Token } from "markdown-it";
import { linkTarget } from "./link-target.js";
import type { MarkdownAlign, MarkdownBlock, MarkdownInline, MarkdownListItem } from "./markdown-nodes.js";
import { visibleText } from "./visible-text.js";

/** Maximum cells of a table that are drawn. */
const MAX_CELLS = 5_000;

/** Maximum depth of emphasis and links in a text: marks inside of it are shown as their source. */
const MAX_INLINE_DEPTH = 24;

/** The blocks of tokens. Unknown ones are left out: no rule makes any. */
export function blocksOf(tokens: readonly Token[]): MarkdownBlock[] {
  return childrenOf(tokens).flatMap(({ token, inner }) => {
    const block = blockOf(token, inner);
    return block ? [block] : [];
  });
}

function blockOf(token: Token, inner: readonly Token[]): MarkdownBlock | undefined {
  const { type, content } = token;
  switch (type) {
    case "paragraph_open": {
      const [only, ...others] = inner[0]?.children ?? [];
      if (only?.type === "math_block" && others.length === 0)
        return { kind: "math", tex: visibleText(only.content) };
      return { kind: "paragraph", children: textOf(inner), isTight: token.hidden };
    }
    case "heading_open":
      return { kind: "heading", level: Number(token.tag.slice(1)), children: textOf(inner) };
    case "blockquote_open":
      return { kind: "quote", blocks: blocksOf(inner) };
    case "bullet_list_open":
    case "ordered_list_open": {
      const start = type === "ordered_list_open" ? Number(token.attrGet("start") ?? 1) : undefined;
      return { kind: "list", start, items: childrenOf(inner).map((item) => itemOf(item.inner)) };
    }
    case "table_open":
      return tableOf(inner);
    case "fence":
      return { kind: "code", language: token.info.trim().split(/\s/)[0] ?? "", text: codeOf(content) };
    case "code_block":
      return { kind: "code", language: "", text: codeOf(content) };
    case "math_block":
      return { kind: "math", tex: visibleText(content) };
    case "hr":
      return { kind: "rule" };
    default:
      return undefined;
  }
}

const codeOf = (content: string): string => visibleText(content.replace(/\n$/, ""));

/** A task begins with `[ ]` or `[x]`. */
const TASK = /^\[([ xX])\]\s+/;

function itemOf(tokens: readonly Token[]): MarkdownListItem {
  const blocks = blocksOf(tokens);
  const [first, ...rest] = blocks;
  const [head, ...others] = first?.kind === "paragraph" ? first.children : [];
  const [mark, done] = (head?.kind === "text" && TASK.exec(head.text)) || [];
  if (first?.kind !== "paragraph" || head?.kind !== "text" || mark === undefined) return { blocks };
  const children: MarkdownInline[] = [{ kind: "text", text: head.text.slice(mark.length) }, ...others];
  return { checked: done !== " ", blocks: [{ ...first, children }, ...rest] };
}

function tableOf(tokens: readonly Token[]): MarkdownBlock {
  const [head, body] = childrenOf(tokens);
  const rowsOf = (part: { inner: readonly Token[] } | undefined) =>
    part ? childrenOf(part.inner).map(({ inner }) => childrenOf(inner)) : [];
  const [titles = []] = rowsOf(head);
  const all = rowsOf(body);
  const fitting = Math.floor(MAX_CELLS / Math.max(1, titles.length));
  return {
    kind: "table",
    align: titles.slice(0, MAX_CELLS).map(({ token }) => alignOf(token)),
    head: titles.slice(0, MAX_CELLS).map(({ inner }) => textOf(inner)),
    rows: all.slice(0, fitting).map((cells) => cells.map(({ inner }) => textOf(inner))),
    left: Math.max(0, all.length - fitting),
  };
}

/** The parser writes the alignment as a style. */
const alignOf = (token: Token): MarkdownAlign => {
  const [, align] = /text-align:(left|center|right)/.exec(attributeOf(token, "style")) ?? [];
  return align as MarkdownAlign;
};

const attributeOf = (token: Token, name: string): string => String(token.attrGet(name) ?? "");

/** The text of a block's `inline` token. */
const textOf = (tokens: readonly Token[]): MarkdownInline[] =>
  tokens.flatMap(({ type, content, children }) =>
    type === "long_text" ? [{ kind: "text" as const, text: visibleText(content) }] : inlineOf(children ?? []),
  );

const MARKS: Readonly<Record<string, "strong" | "emphasis" | "deleted">> = {
  strong_open: "strong",
  em_open: "emphasis",
  s_open: "deleted",
};

function inlineOf(tokens: readonly Token[], depth = 0): MarkdownInline[] {
  const parts: MarkdownInline[] = [];
  if (depth > MAX_INLINE_DEPTH) {
    for (const { content, markup } of tokens) pushText(parts, visibleText(content || markup));
    return parts;
  }
  for (const { token, inner } of childrenOf(tokens)) {
    const { type, content } = token;
    const mark = MARKS[type];
    if (mark) parts.push({ kind: mark, children: inlineOf(inner, depth + 1) });
    else if (type === "link_open") parts.push(...linkOf(token, inlineOf(inner, depth + 1)));
    else if (type === "image") parts.push(imageOf(token));
    else if (type === "code_inline") parts.push({ kind: "code", text: visibleText(content) });
    else if (type === "math_inline" || type === "math_block")
      parts.push({ kind: "math", tex: visibleText(content) });
    else if (type === "hardbreak" || type === "softbreak") parts.push({ kind: "break" });
    else if (content !== "") pushText(parts, visibleText(content));
  }
  return parts;
}

/** Adjacent texts become one. */
function pushText(parts: MarkdownInline[], text: string): void {
  const last = parts.at(-1);
  if (last?.kind === "text") parts[parts.length - 1] = { kind: "text", text: last.text + text };
  else parts.push({ kind: "text", text });
}

function linkOf(token: Token, children: MarkdownInline[]): MarkdownInline[] {
  const target = linkTarget(attributeOf(token, "href"));
  return target ? [{ kind: "link", href: target.href, children }] : children;
}

const imageOf = (token: Token): MarkdownInline => ({
  kind: "image",
  href: linkTarget(attributeOf(token, "src"))?.href ?? "",
  alt: visibleText(token.content),
});

/** Splits tokens into elements with what is inside them. */
function childrenOf(tokens: readonly Token[]): { token: Token; inner: readonly Token[] }[] {
  const found: { token: Token; inner: readonly Token[] }[] = [];
  let depth = 0;
  let from = 0;
  for (const [at, token] of tokens.entries()) {
    if (depth === 0) from = at;
    depth += token.nesting;
    const first = tokens[from];
    if (depth === 0 && first)
      found.push({ token: first, inner: tokens.slice(from + 1, Math.max(at, from + 1)) });
  }
  return found;
}
