/**
 * A block of code, with a button to copy it.
 *
 * @module
 */
import { useMemo } from "react";
import { CopyButton } from "../copy-button.js";
import { useHighlighter } from "./load-markdown.js";

/** Props of a {@link CodeBlock}. */
export interface CodeBlockProps {
  text: string;
  language: string;
  /** Code that still grows has no colours: they would change with every word. */
  isFinished: boolean;
}

/** Code, with colours if its language is known. */
export function CodeBlock({ text, language, isFinished }: CodeBlockProps) {
  const highlight = useHighlighter(isFinished && language !== "");
  const parts = useMemo(() => highlight?.(text, language), [highlight, text, language]);
  return (
    <figure className="markdown-code">
      <figcaption>
        <span className="soft small mono">{language}</span>
        <CopyButton text={text} label={`Copy the code${language && ` (${language})`}`} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
      <pre tabIndex={0}>
        <code>
          {parts
            ? parts.map((part, at) =>
                part.kind === undefined ? (
                  part.text
                ) : (
                  // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other name.
                  <span key={at} className={`code-${part.kind}`}>
                    {part.text}
                  </span>
                ),
              )
            : text}
        </code>
      </pre>
    </figure>
  );
}
