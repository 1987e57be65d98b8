/**
 * Finds the members of a JSON object in its text, without parsing them: parsing is the costly part of a large
 * answer.
 *
 * @module
 */

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

/** Finds the end of the value that starts here, by counting brackets outside of strings. */
function endOfValue(text: string, from: number): number {
  const first = text.charCodeAt(from);
  if (first === 0x22) return endOfString(text, from) + 1;
  if (first !== 0x7b && first !== 0x5b) {
    const rest = /[-+.\w]*/y;
    rest.lastIndex = from;
    rest.exec(text);
    return rest.lastIndex;
  }
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === 0x22) {
      at = endOfString(text, at);
      if (at < 0) return -1;
    } else if (char === 0x7b || char === 0x5b) depth++;
    else if ((char === 0x7d || char === 0x5d) && --depth === 0) return at + 1;
  }
  return -1;
}

/** Finds the closing quote of the string that starts here. */
export function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at > 0; at = text.indexOf('"', at + 1)) {
    let before = at;
    while (text.charCodeAt(before - 1) === 0x5c) before--;
    if ((at - before) % 2 === 0) return at;
  }
  return -1;
}
