/**
 * Finds the members of a JSON object in its text, without parsing them: parsing is the costly part of a large
 * answer.
 *
 * @module
 */
import { endOfBrackets, endOfString } from "@vitrine/protocol";

/** The start and end of a member's value. */
export type Span = readonly [from: number, to: number];

/**
 * The members of the object that starts at `from`, by name. Undefined if the text up to `to` is not exactly
 * one object, or if a name occurs twice. Values are not validated as JSON, but their brackets and quotes are
 * balanced, so a value cannot pass for a part of the message around it.
 */
export function membersOf(text: string, from = 0, to = text.length): Map<string, Span> | undefined {
  const members = new Map<string, Span>();
  let at = skipSpace(text, from);
  if (text[at] !== "{") return undefined;
  at = skipSpace(text, at + 1);
  if (text[at] === "}") return skipSpace(text, at + 1) === to ? members : undefined;
  for (;;) {
    if (text[at] !== '"') return undefined;
    const quote = endOfString(text, at);
    if (quote < 0) return undefined;
    const name = text.slice(at + 1, quote);
    at = skipSpace(text, quote + 1);
    // An escaped name may equal the name of another member.
    if (text[at] !== ":" || name.includes("\\") || members.has(name)) return undefined;
    const start = skipSpace(text, at + 1);
    const end = endOfValue(text, start);
    if (end <= start) return undefined;
    members.set(name, [start, end]);
    at = skipSpace(text, end);
    if (text[at] === "}") return skipSpace(text, at + 1) === to ? members : undefined;
    if (text[at] !== ",") return undefined;
    at = skipSpace(text, at + 1);
  }
}

function skipSpace(text: string, from: number): number {
  let at = from;
  for (;;) {
    const char = text.charCodeAt(at);
    if (char !== 0x20 && char !== 0x09 && char !== 0x0a && char !== 0x0d) return at;
    at++;
  }
}

/** Finds the end of the value that starts here. */
function endOfValue(text: string, from: number): number {
  const first = text.charCodeAt(from);
  if (first === 0x22) return endOfString(text, from) + 1;
  if (first !== 0x7b && first !== 0x5b) {
    const rest = /[-+.\w]*/y;
    rest.lastIndex = from;
    rest.exec(text);
    return rest.lastIndex;
  }
  return endOfBrackets(text, from);
}
