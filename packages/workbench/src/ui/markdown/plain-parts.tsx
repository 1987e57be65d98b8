/**
 * Text and code, for the moment before the parser is loaded.
 *
 * @module
 */
import { memo } from "react";
import { textParts } from "./text-parts.js";

/** The paragraphs and the code of a text. */
export const PlainParts = memo(({ text }: { text: string }) =>
  textParts(text).map((part, at) =>
    part.kind === "code" ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts only ever come at the end.
      <pre key={at}>{part.text}</pre>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: as above.
      <p key={at} className="markdown-plain">
        {part.text}
      </p>
    ),
  ),
);
