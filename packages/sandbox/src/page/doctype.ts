/**
 * Finds the doctype of a document. A script before it would cause quirks mode, so the doctype is repeated before the script.
 */

/**
 * Tokens that a parser skips before the doctype: white space, comments, and bogus comments. A script element may not
 * contain the beginning of a comment as such.
 */
const BEFORE_DOCTYPE =
  /[\t\n\f\r ]+|<!-{2}(?:-?>|[\s\S]*?--!?>)|<\?[^>]*>|<!(?!--|doctype)[^>]*>|<\/(?:[^a-z>][^>]*)?>/iy;
const DOCTYPE = /<!doctype[^>]*>/iy;

/** The document's doctype, if a parser would find one. */
export function doctype(html: string): string {
  let at = 0;
  // Token by token, like a parser: one pattern for all could backtrack endlessly on hostile text.
  const take = (token: RegExp): string => {
    token.lastIndex = at;
    const [text = ""] = token.exec(html) ?? [];
    at += text.length;
    return text;
  };
  while (take(BEFORE_DOCTYPE));
  return take(DOCTYPE).replace(/[\n\r]/g, " ");
}
