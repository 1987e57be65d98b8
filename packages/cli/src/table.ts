/**
 * Text tables.
 *
 * @module
 */
import { oneLine } from "./terminal.js";

const GAP = "  ";
/** Minimum width of the last column, however small the terminal. */
const LEAST = 20;

/** Approximate terminal columns of a text: wide characters take two. */
const widthOf = (text: string): number =>
  [...text].reduce(
    (sum, character) => sum + (/\p{Emoji_Presentation}|[ᄀ-ᅟ⺀-꓏가-힣豈-﫿＀-｠]/u.test(character) ? 2 : 1),
    0,
  );

/** Formats rows in columns; the last is cut to the terminal's width. Control characters are escaped. */
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
