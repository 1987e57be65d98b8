/**
 * Third-party text in a question to the user: it can neither hide something nor imitate the question.
 *
 * @module
 */

/**
 * Everything except letters, digits, punctuation, symbols and the plain space; invisible characters; and
 * right-to-left characters, because a terminal may reorder their neighbours.
 */
const HIDDEN =
  /[^\p{L}\p{N}\p{P}\p{S} ]|\p{Default_Ignorable_Code_Point}|[\u2800\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/gu;
/** Enough blanks to push the following text out of sight. */
const BLANKS = / {3,}/g;

const escaped = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`;

/** Quotes text on one line, with invisible characters escaped. */
export const visible = (text: string): string =>
  JSON.stringify(text)
    .replace(HIDDEN, escaped)
    .replace(BLANKS, (blanks) => `\\u{20}{${blanks.length}}`);

/** The same for a URL: lookalike letters are escaped too. */
export const visibleAddress = (text: string): string => visible(text).replace(/[^ -~]/gu, escaped);

/** A name, quoted only if necessary. */
export const visibleName = (name: string): string => (/^[\w./:*-]{1,64}$/.test(name) ? name : visible(name));

/**
 * Wraps a line at the terminal's width, each part behind a marker. If the terminal wrapped it, the next line
 * would start without the marker, and the file's text would look like ours.
 */
export function marked(line: string, columns: number): string[] {
  const mark = "  │ ";
  const room = Math.max(20, columns - mark.length - 1);
  const parts: string[] = [];
  let part = "";
  let width = 0;
  for (const character of line) {
    // Some characters take two columns, none take more.
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
