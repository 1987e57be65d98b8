/**
 * Somebody else's text in a question to the person: it can neither hide something nor look like the question itself.
 *
 * @module
 */

/**
 * All but letters, digits, punctuation, symbols and the plain space; those that show nothing; and those that are read from right to left,
 * because a terminal may then show their neighbours in another order.
 */
const HIDDEN =
  /[^\p{L}\p{N}\p{P}\p{S} ]|\p{Default_Ignorable_Code_Point}|[\u2800\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/gu;
/** Enough blanks to push what follows out of sight. */
const BLANKS = / {3,}/g;

const escaped = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`;

/** A text in quotes on one line, with everything that cannot be seen written out. */
export const visible = (text: string): string =>
  JSON.stringify(text)
    .replace(HIDDEN, escaped)
    .replace(BLANKS, (blanks) => `\\u{20}{${blanks.length}}`);

/** The same for an address: letters that look like others are written out too. */
export const visibleAddress = (text: string): string => visible(text).replace(/[^ -~]/gu, escaped);

/** A name, in quotes only if it needs them. */
export const visibleName = (name: string): string => (/^[\w./:*-]{1,64}$/.test(name) ? name : visible(name));

/**
 * Breaks a line at the width of the terminal, each part behind a mark. A terminal that breaks it by itself would begin the next line
 * without the mark, and text of the file would look like ours.
 */
export function marked(line: string, columns: number): string[] {
  const mark = "  │ ";
  const room = Math.max(20, columns - mark.length - 1);
  const parts: string[] = [];
  let part = "";
  let width = 0;
  for (const character of line) {
    // Some take two columns, and none takes more.
    const wide = character > "~" ? 2 : 1;
    if (width + wide > room) {
      parts.push(part);
      part = "";
      width = 0;
    }
    part += character;
    width += wide;
  }
  return [...parts, part].map((each) => mark + each);
}
