/**
 * Markdown as HTML for a file. Every text is escaped.
 *
 * @module
 */
import type { MarkdownBlock, MarkdownInline } from "../markdown/markdown-nodes.js";

/** A text in which nothing is markup. */
export const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** The HTML of blocks. */
export const blocksHtml = (blocks: readonly MarkdownBlock[]): string => blocks.map(blockHtml).join("\n");

function blockHtml(block: MarkdownBlock): string {
  switch (block.kind) {
    case "paragraph":
      return block.isTight ? inlinesHtml(block.children) : `<p>${inlinesHtml(block.children)}</p>`;
    case "heading":
      return `<h${Math.min(6, block.level + 2)}>${inlinesHtml(block.children)}</h${Math.min(6, block.level + 2)}>`;
    case "quote":
      return `<blockquote>${blocksHtml(block.blocks)}</blockquote>`;
    case "list": {
      const items = block.items
        .map(
          ({ checked, blocks }) =>
            `<li>${checked === undefined ? "" : checked ? "☑ " : "☐ "}${blocksHtml(blocks)}</li>`,
        )
        .join("");
      return block.start === undefined
        ? `<ul>${items}</ul>`
        : `<ol start="${Math.trunc(block.start)}">${items}</ol>`;
    }
    case "table": {
      const row = (cells: readonly (readonly MarkdownInline[])[], tag: "th" | "td"): string =>
        `<tr>${cells.map((cell) => `<${tag}>${inlinesHtml(cell)}</${tag}>`).join("")}</tr>`;
      return `<table>${row(block.head, "th")}${block.rows.map((cells) => row(cells, "td")).join("")}</table>`;
    }
    case "code":
    case "plain":
      return `<pre><code>${escaped(block.text)}</code></pre>`;
    case "math":
      return `<pre><code>${escaped(block.tex)}</code></pre>`;
    case "rule":
      return "<hr>";
  }
}

const inlinesHtml = (parts: readonly MarkdownInline[]): string => parts.map(inlineHtml).join("");

const TAGS = { strong: "strong", emphasis: "em", deleted: "del" } as const;

function inlineHtml(part: MarkdownInline): string {
  switch (part.kind) {
    case "text":
      return escaped(part.text);
    case "break":
      return "<br>";
    case "code":
      return `<code>${escaped(part.text)}</code>`;
    case "math":
      return `<code>${escaped(part.tex)}</code>`;
    case "link":
      // The address stands beside the text, because nothing asks before it opens.
      return `${inlinesHtml(part.children)} (<a href="${escaped(part.href)}" rel="noopener noreferrer">${escaped(part.href)}</a>)`;
    case "image":
      return `${escaped(part.alt)} (${escaped(part.href)})`;
    default:
      return `<${TAGS[part.kind]}>${inlinesHtml(part.children)}</${TAGS[part.kind]}>`;
  }
}
