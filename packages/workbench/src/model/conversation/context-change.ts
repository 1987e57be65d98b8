/**
 * The change of an app's model context since the model last received it.
 *
 * @module
 */
import type { AppContext } from "@vitrine/wire";
import { textOf } from "../messages/messages.js";

/** An added or removed line. */
export interface ChangedLine {
  readonly kind: "added" | "removed";
  readonly text: string;
}

/** Maximum compared lines; beyond it, only the common start and end are found. */
const MOST_LINES = 400;

/** The changed lines, in order; undefined if the model received nothing from this app before. */
export function contextChange({ before, ...context }: AppContext): ChangedLine[] | undefined {
  return before && changedLines(linesOf(before), linesOf(context));
}

/** The change in one line: before and after. */
export function changeSummary(lines: readonly ChangedLine[]): string {
  const first = (kind: ChangedLine["kind"]): string =>
    lines
      .find((line) => line.kind === kind)
      ?.text.trim()
      .replace(/,$/, "") ?? "";
  const [was, is] = [first("removed"), first("added")];
  if (was === "") return `+ ${is}`;
  return is === "" ? `− ${was}` : `${was} → ${is}`;
}

function linesOf({
  content = [],
  structuredContent,
}: Pick<AppContext, "content" | "structuredContent">): string[] {
  const text = [textOf({ content }), structuredContent && JSON.stringify(structuredContent, null, 2)];
  return text.filter(Boolean).join("\n").split("\n");
}

function changedLines(was: readonly string[], is: readonly string[]): ChangedLine[] {
  const shorter = Math.min(was.length, is.length);
  let start = 0;
  while (start < shorter && was[start] === is[start]) start++;
  let end = 0;
  while (end < shorter - start && was.at(-1 - end) === is.at(-1 - end)) end++;
  const [left, right] = [was.slice(start, was.length - end), is.slice(start, is.length - end)];
  if (left.length > MOST_LINES || right.length > MOST_LINES)
    return [...left.map(removed), ...right.map(added)];
  return inOrder(left, right);
}

const removed = (text: string): ChangedLine => ({ kind: "removed", text });
const added = (text: string): ChangedLine => ({ kind: "added", text });

/** Uses the longest common subsequence of the lines. */
function inOrder(left: readonly string[], right: readonly string[]): ChangedLine[] {
  const width = right.length + 1;
  const common = new Uint16Array((left.length + 1) * width);
  const at = (row: number, column: number): number => common[row * width + column] ?? 0;
  for (let row = left.length - 1; row >= 0; row--)
    for (let column = right.length - 1; column >= 0; column--)
      common[row * width + column] =
        left[row] === right[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
  const lines: ChangedLine[] = [];
  let [row, column] = [0, 0];
  while (row < left.length || column < right.length) {
    const [was, is] = [left[row], right[column]];
    if (was !== undefined && was === is) {
      row++;
      column++;
    } else if (was !== undefined && (is === undefined || at(row + 1, column) >= at(row, column + 1))) {
      lines.push(removed(was));
      row++;
    } else if (is !== undefined) {
      lines.push(added(is));
      column++;
    }
  }
  return lines;
}
