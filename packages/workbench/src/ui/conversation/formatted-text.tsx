/**
 * Text of a server or an app: Markdown and JSON are drawn as such, with a button to see the source.
 *
 * @module
 */
import { useMemo, useState } from "react";
import { Button } from "react-aria-components";
import { textFormat } from "../../model/markdown/text-format.js";
import { Json } from "../inspector/json.js";
import { Markdown } from "../markdown/markdown-view.js";
import { ClippedText } from "./clipped-text.js";

const NAMES = { markdown: "Markdown", json: "JSON" } as const;

/** Props of {@link FormattedText}. */
export interface FormattedTextProps {
  text: string;
  mimeType?: string | undefined;
}

/** A text by its format. */
export function FormattedText({ text, mimeType }: FormattedTextProps) {
  const format = useMemo(() => textFormat(text, mimeType), [text, mimeType]);
  const [isSource, setSource] = useState(false);
  const plain = <ClippedText text={text} className="block-text" />;
  if (format === "plain") return plain;
  return (
    <>
      {isSource && plain}
      {!isSource && format === "markdown" && <Markdown text={text} isComplete />}
      {!isSource && format === "json" && <Json value={JSON.parse(text)} label="JSON" depth={2} />}
      <Button className="button quiet small text-toggle" onPress={() => setSource(!isSource)}>
        {isSource ? `Show as ${NAMES[format]}` : "Show the source"}
      </Button>
    </>
  );
}
