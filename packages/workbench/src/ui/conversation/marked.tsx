/**
 * Text with highlighted search words.
 *
 * @module
 */

/** Highlights every word of a search, case-insensitive. */
export function Marked({ text, search }: { text: string; search: string }) {
  const words = search.split(/\s+/).filter(Boolean).map(escaped);
  if (words.length === 0) return text;
  // Every second part is a match.
  const parts = text.split(new RegExp(`(${words.join("|")})`, "iu"));
  return parts.map((part, at) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name.
    at % 2 === 1 ? <mark key={at}>{part}</mark> : part,
  );
}

const escaped = (word: string): string => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
