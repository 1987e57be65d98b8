/**
 * Splits a model's text into paragraphs and code. Nothing else is interpreted, and none of it is markup.
 *
 * @module
 */

/** A part of a text. */
export type TextSpan =
  | { readonly kind: "paragraph"; readonly text: string }
  | { readonly kind: "code"; readonly language: string; readonly text: string };

/** A line that starts or ends code, as in Markdown: at most three blanks, then the fence. */
const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([^`\n]*)$/;

/** Splits a text. It may still grow: code without an end counts as code. */
export function textParts(text: string): TextSpan[] {
  const parts: TextSpan[] = [];
  let lines: string[] = [];
  let code: { fence: string; language: string } | undefined;
  const endParagraph = (): void => {
    const said = lines.join("\n").trimEnd();
    if (said.trim() !== "") parts.push({ kind: "paragraph", text: said });
    lines = [];
  };
  const endCode = (language: string): void => {
    parts.push({ kind: "code", language, text: lines.join("\n") });
    lines = [];
  };
  for (const line of text.split(/\r?\n/)) {
    const [, fence, rest = ""] = FENCE.exec(line) ?? [];
    if (code) {
      // Code ends with a fence of the same kind and at least the same length, with nothing after it.
      if (fence?.startsWith(code.fence) && rest === "") {
        endCode(code.language);
        code = undefined;
      } else lines.push(line);
    } else if (fence !== undefined) {
      endParagraph();
      code = { fence, language: rest.trim().split(/\s/)[0] ?? "" };
    } else if (line.trim() === "") endParagraph();
    else lines.push(line);
  }
  if (code) endCode(code.language);
  else endParagraph();
  return parts;
}
