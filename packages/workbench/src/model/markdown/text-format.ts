/**
 * Guesses how a text of a server or an app is written.
 *
 * @module
 */

export type TextFormat = "plain" | "markdown" | "json";

/** Characters that are looked at. */
const LOOKED_AT = 4_000;
/** Maximum characters of JSON that is parsed. */
const MAX_JSON = 1_000_000;

/** Marks that are enough on their own: other texts rarely have them. */
const STRONG = [
  /^ {0,3}#{1,6} \S/m,
  /^ {0,3}(?:`{3,}|~{3,})\w*[ \t]*$/m,
  /^ {0,3}\|?[ \t]*:?-{3,}:?[ \t]*\|/m,
  /\*\*[^\s*][^*\n]{0,200}\*\*/,
  /\[[^\]\n]{1,200}\]\(https?:\/\/[^\s)]{1,500}\)/,
];
/** Two of the same in a text. */
const WEAK = [/^ {0,3}[-*+] \S/gm, /^ {0,3}\d{1,3}[.)] \S/gm, /^ {0,3}> \S/gm, /`[^`\n]{1,100}`/g];

/** The format of a text: by its type if it has one, otherwise by its marks. */
export function textFormat(text: string, mimeType = ""): TextFormat {
  const [type = ""] = mimeType.toLowerCase().split(";");
  if (/^text\/(?:x-)?markdown$/.test(type.trim())) return "markdown";
  if (isJson(text)) return "json";
  // A server that says what a text is, knows.
  if (type.trim() !== "" && type.trim() !== "text/plain") return "plain";
  const start = text.slice(0, LOOKED_AT);
  // A document in HTML would be shown as its source in any case.
  if (/^\s*<[!a-z]/i.test(start)) return "plain";
  if (STRONG.some((mark) => mark.test(start))) return "markdown";
  return WEAK.some((mark) => (start.match(mark) ?? []).length > 1) ? "markdown" : "plain";
}

/** Whether a text is an object or a list in JSON. */
function isJson(text: string): boolean {
  if (text.length > MAX_JSON || !/^\s*[[{]/.test(text) || !/[\]}]\s*$/.test(text.slice(-1_000))) return false;
  try {
    const value: unknown = JSON.parse(text);
    return Object(value) === value;
  } catch {
    return false;
  }
}
