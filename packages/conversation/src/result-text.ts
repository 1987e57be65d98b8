/**
 * Converts a result into text for the model.
 *
 * @module
 */

import { sizeOf } from "@vitrine/guard";
import type { CallToolResult, ContentBlock } from "@vitrine/protocol";
import { recordOf } from "@vitrine/protocol";
import type { CallItem } from "@vitrine/wire";

/** A result as text. */
export interface ResultText {
  readonly text: string;
  readonly isError: boolean;
}

/** Added for a call with an unknown outcome, which the model must not simply repeat. */
export const MAYBE_DONE = "It may have been executed anyway.";

/** Maximum number of characters counted, to report how many were left out. */
const MOST_COUNTED = 100_000_000;

/**
 * The text of a call's result: its `content`, `structuredContent` only without text content, and never
 * `_meta`. A result above the limit is cut, with a notice.
 */
export function resultText(call: CallItem, limit: number): ResultText {
  const { result, state, problem } = call;
  if (result) return { text: textOf(result, limit), isError: result.isError === true };
  if (call.isResultLost)
    return (
      beginnings.get(call) ?? { text: "(the result was too large to be stored)", isError: state === "failed" }
    );
  const said = cut(problem ?? "", limit);
  // A call that was never sent has no input.
  const mayBe = call.input ? ` ${MAYBE_DONE}` : "";
  if (state === "cancelled")
    return { text: `The call was cancelled${said && `: ${said}`}.${mayBe}`, isError: true };
  return { text: said || "The call failed for an unknown reason.", isError: true };
}

/** The beginnings of dropped results, for the model. */
const beginnings = new WeakMap<CallItem, ResultText>();

/** Keeps the beginning of a result that is dropped: the model may not have read it yet. */
export function keepBeginning(call: CallItem, limit: number): void {
  beginnings.set(call, resultText(call, limit));
}

/** Removes a beginning that the model has read, or that is old. */
export function forgetBeginning(call: CallItem): void {
  beginnings.delete(call);
}

/** Results do not change, so each is converted once. */
const written = new WeakMap<CallToolResult, { limit: number; text: string }>();

function textOf(result: CallToolResult, limit: number): string {
  const before = written.get(result);
  if (before?.limit === limit) return before.text;
  const { structuredContent } = result;
  // The content comes from the server, and may be anything.
  const content: unknown = result.content;
  const blocks: unknown[] = Array.isArray(content) ? content : content === undefined ? [] : [content];
  const hasText = blocks.some(isText);
  const lines = blocks.map(wordsOfAny).filter((line) => line !== "");
  const inWords = cut(lines.join("\n"), limit);
  const text =
    !hasText && structuredContent !== undefined
      ? [inWords, jsonOf(structuredContent, limit)].filter((part) => part !== "").join("\n")
      : inWords;
  written.set(result, { limit, text: text || "(no content)" });
  return text || "(no content)";
}

const isText = (block: unknown): boolean => {
  const { type, text } = recordOf(block);
  return type === "text" && typeof text === "string" && text.trim() !== "";
};

function wordsOfAny(block: unknown): string {
  try {
    const words: unknown = wordsOf(block as ContentBlock);
    if (typeof words === "string") return words;
  } catch {
    // The block lacks the fields of its type.
  }
  return UNKNOWN;
}

const UNKNOWN = "(content of an unknown type)";

/** A block as text; for other content, a description. */
export function wordsOf(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
      return `(a picture, ${block.mimeType}, ${bytesOf(block.data)}; the user may see it, you do not)`;
    case "audio":
      return `(a sound, ${block.mimeType}, ${bytesOf(block.data)}; the user may hear it, you do not)`;
    case "resource_link":
      return `(resource ${block.name}: ${block.uri})`;
    case "resource": {
      const { resource } = block;
      if ("text" in resource) return `(resource ${resource.uri})\n${resource.text}`;
      return `(resource ${resource.uri}, ${bytesOf(resource.blob)}, no text)`;
    }
    default:
      // Content comes from servers, and may be of an unknown type.
      return UNKNOWN;
  }
}

const bytesOf = (base64: string): string => `${Math.ceil((base64.length * 3) / 4 / 1024)} KB`;

/** Cuts a text to the limit, with a notice about the rest. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit)}\n[${(text.length - limit).toLocaleString("en")} more characters were left out]`;
}

/** The JSON of a value. Of a large value, only the part that is shown is serialized. */
export function jsonOf(value: unknown, limit: number): string {
  const size = sizeOf(value, limit * 2);
  if (size <= limit * 2) return cut(JSON.stringify(value) ?? "", limit);
  const left = sizeOf(value, MOST_COUNTED) - limit;
  return `${beginning(value, limit)}\n[about ${left.toLocaleString("en")} more characters were left out]`;
}

/** The first characters of a value's JSON. */
function beginning(value: unknown, limit: number): string {
  let text = "";
  const isFull = (): boolean => text.length >= limit;
  const write = (part: unknown, depth: number): void => {
    if (isFull()) return;
    if (typeof part === "string") text += JSON.stringify(part.slice(0, limit));
    else if (typeof part !== "object" || part === null || depth > 100) text += JSON.stringify(part) ?? "null";
    else if (Array.isArray(part)) {
      text += "[";
      for (const [index, each] of part.entries()) {
        if (isFull()) return;
        if (index > 0) text += ",";
        write(each, depth + 1);
      }
      text += "]";
    } else {
      text += "{";
      let isFirst = true;
      for (const key in part) {
        if (isFull()) return;
        text += `${isFirst ? "" : ","}${JSON.stringify(key)}:`;
        isFirst = false;
        write((part as Record<string, unknown>)[key], depth + 1);
      }
      text += "}";
    }
  };
  write(value, 0);
  return text.slice(0, limit);
}
