/**
 * Finds where values of a JSON text end, without parsing it.
 *
 * @module
 */

/**
 * Finds the closing quote of the string that starts at a position; -1 if there is none.
 *
 * @example
 * ```ts source="./protocol.examples.ts#endOfString"
 * const text = '{"name":"Ada"}';
 * const name = text.slice(1, endOfString(text, 1) + 1); // "name", with its quotes
 * ```
 */
export function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at > 0; at = text.indexOf('"', at + 1)) {
    let before = at;
    while (text.charCodeAt(before - 1) === 0x5c) before--;
    if ((at - before) % 2 === 0) return at;
  }
  return -1;
}

/**
 * Finds the end of the object or array that starts at a position: the position after its closing bracket, or -1 if
 * it does not end. Counts brackets outside of strings, and does not check which kind they are.
 *
 * @example
 * ```ts source="./protocol.examples.ts#endOfBrackets"
 * const text = '{"result":{"content":[]},"id":1}';
 * const result = text.slice(10, endOfBrackets(text, 10)); // {"content":[]}
 * ```
 */
export function endOfBrackets(text: string, from: number): number {
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
