/**
 * Draws Markdown. Every part is an element of React; no text is interpreted as HTML, and nothing is loaded.
 *
 * @module
 */
import { memo, useMemo } from "react";
import { GrowingMarkdown } from "../../model/markdown/growing-markdown.js";
import type { MarkdownBlock, MarkdownInline, MarkdownListItem } from "../../model/markdown/markdown-nodes.js";
import { count } from "../inspector/format.js";
import { CodeBlock } from "./code-block.js";
import { useFormulas, useMarkdownParser } from "./load-markdown.js";
import "./markdown.css";
import { AskingLink } from "./asking-link.js";
import { PlainParts } from "./plain-parts.js";

/** Maximum drawn characters. */
const MOST = 200_000;

/** Props of {@link Markdown}. */
export interface MarkdownProps {
  text: string;
  /** Whether nothing follows. */
  isComplete: boolean;
}

/** A text, which may grow: its finished blocks stay as they are. */
export function Markdown({ text, isComplete }: MarkdownProps) {
  const parse = useMarkdownParser();
  const growing = useMemo(() => parse && new GrowingMarkdown(parse), [parse]);
  if (text === "") return null;
  const shown = text.slice(0, MOST);
  // A cut text is complete as far as it is drawn.
  const isOver = isComplete || text.length > MOST;
  return (
    // Not announced word by word: the announcer reads the complete text.
    <div className="markdown" aria-live="off">
      {growing ? (
        growing
          .update(shown, isOver)
          .map(({ key, block, isFinished }) => <Block key={key} block={block} isFinished={isFinished} />)
      ) : (
        <PlainParts text={shown} />
      )}
      {text.length > MOST && <p className="soft small">{count(text.length - MOST)} more characters.</p>}
    </div>
  );
}

interface BlockProps {
  block: MarkdownBlock;
  isFinished: boolean;
}

/** A finished block never renders again. */
const Block = memo(({ block, isFinished }: BlockProps) => {
  switch (block.kind) {
    case "paragraph":
      return block.isTight ? (
        <div>
          <Inlines parts={block.children} />
        </div>
      ) : (
        <p>
          <Inlines parts={block.children} />
        </p>
      );
    case "heading":
      // The card has a heading of level 3.
      return (
        // biome-ignore lint/a11y/useSemanticElements: the level is not known before.
        <div role="heading" aria-level={Math.min(block.level + 3, 9)} className={`markdown-h${block.level}`}>
          <Inlines parts={block.children} />
        </div>
      );
    case "quote":
      return (
        <blockquote>
          <Blocks blocks={block.blocks} isFinished={isFinished} />
        </blockquote>
      );
    case "list":
      return <List start={block.start} items={block.items} isFinished={isFinished} />;
    case "table":
      return <Table table={block} />;
    case "code":
      return <CodeBlock text={block.text} language={block.language} isFinished={isFinished} />;
    case "math":
      return <Formula tex={block.tex} isBlock />;
    case "rule":
      return <hr />;
    case "plain":
      return <pre>{block.text}</pre>;
  }
});

const Blocks = ({ blocks, isFinished }: { blocks: readonly MarkdownBlock[]; isFinished: boolean }) =>
  // biome-ignore lint/suspicious/noArrayIndexKey: blocks only ever come at the end.
  blocks.map((block, at) => <Block key={at} block={block} isFinished={isFinished} />);

interface ListProps {
  start: number | undefined;
  items: readonly MarkdownListItem[];
  isFinished: boolean;
}

function List({ start, items, isFinished }: ListProps) {
  const entries = items.map(({ checked, blocks }, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: entries only ever come at the end.
    <li key={at} className={checked === undefined ? undefined : "markdown-task"}>
      {checked !== undefined && (
        <input type="checkbox" checked={checked} disabled aria-label={checked ? "done" : "open"} />
      )}
      <Blocks blocks={blocks} isFinished={isFinished} />
    </li>
  ));
  return start === undefined ? <ul>{entries}</ul> : <ol start={start}>{entries}</ol>;
}

/** Scrolls sideways where it is wider than its place. */
function Table({ table }: { table: Extract<MarkdownBlock, { kind: "table" }> }) {
  const { align, head, rows, left } = table;
  const alignOf = (at: number): string | undefined => align[at] && `align-${align[at]}`;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a scrolling box.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
    <div className="markdown-table" role="region" aria-label="Table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((cell, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: cells have no other name.
              <th key={at} scope="col" className={alignOf(at)}>
                <Inlines parts={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows only ever come at the end.
            <tr key={at}>
              {row.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: as above.
                <td key={column} className={alignOf(column)}>
                  <Inlines parts={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {left > 0 && <p className="soft small">{count(left)} more rows.</p>}
    </div>
  );
}

const Inlines = ({ parts }: { parts: readonly MarkdownInline[] }) =>
  // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other name.
  parts.map((part, at) => <Inline key={at} part={part} />);

function Inline({ part }: { part: MarkdownInline }) {
  switch (part.kind) {
    case "text":
      return part.text;
    case "break":
      return <br />;
    case "code":
      return <code>{part.text}</code>;
    case "math":
      return <Formula tex={part.tex} isBlock={false} />;
    case "strong":
      return (
        <strong>
          <Inlines parts={part.children} />
        </strong>
      );
    case "emphasis":
      return (
        <em>
          <Inlines parts={part.children} />
        </em>
      );
    case "deleted":
      return (
        <del>
          <Inlines parts={part.children} />
        </del>
      );
    case "link":
      return (
        <AskingLink address={part.href}>
          <Inlines parts={part.children} />
        </AskingLink>
      );
    case "image":
      return (
        <AskingLink address={part.href} isPicture>
          {part.alt || "picture"}
        </AskingLink>
      );
  }
}

/** A formula; its source while the renderer loads, and if it is not valid. */
function Formula({ tex, isBlock }: { tex: string; isBlock: boolean }) {
  const formulaOf = useFormulas();
  const shown = useMemo(() => formulaOf?.(tex, isBlock), [formulaOf, tex, isBlock]);
  if (shown === undefined) return <code>{tex}</code>;
  return isBlock ? <div className="markdown-formula">{shown}</div> : shown;
}
