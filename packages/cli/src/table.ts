/**
 * Columns, for people.
 *
 * @module
 */
import { oneLine } from "./terminal.js";

const GAP = "  ";
/** The last column is not made narrower than this, however small the window is. */
const LEAST = 20;

/** Columns of a terminal that a text takes: wide characters take two. A guess that is right for most texts. */
const widthOf = (text: string): number =>
  [...text].reduce(
    (sum, character) => sum + (/\p{Emoji_Presentation}|[ᄀ-ᅟ⺀-꓏가-힣豈-﫿＀-｠]/u.test(character) ? 2 : 1),
    0,
  );

/** Rows in columns, the last of which is cut to the window if there is one. What is in it is shown, never obeyed. */
export function table(rows: readonly (readonly string[])[], columns?: number): string[] {
  const cells = rows.map((row) => row.map(oneLine));
  const count = Math.max(0, ...cells.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, index) =>
    Math.max(...cells.map((row) => widthOf(row[index] ?? ""))),
  );
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + GAP.length, 0);
  const room = columns === undefined ? Number.POSITIVE_INFINITY : Math.max(LEAST, columns - before - 1);
  return cells.map((row) =>
    row
      .map((cell, index) =>
        index === count - 1
          ? cut(cell, room)
          : cell + " ".repeat(Math.max(0, (widths[index] ?? 0) - widthOf(cell))),
      )
      .join(GAP)
      .trimEnd(),
  );
}

const cut = (text: string, room: number): string => {
  if (widthOf(text) <= room) return text;
  return `${[...text].slice(0, room - 1).join("")}…`;
};
