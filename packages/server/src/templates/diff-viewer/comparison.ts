/**
 * Compares two texts from a tool, as lines that are equal, removed or added.
 *
 * @module
 */
import { recordOf } from "@vitrine/protocol";
import { matchLines } from "./diff.js";

/** A line, on one side or on both. */
export interface Line {
  readonly sign: " " | "-" | "+";
  readonly text: string;
  /** Line numbers from 1; 0 on a side where the line is absent. */
  readonly left: number;
  readonly right: number;
}

/** The comparison of two texts. */
export interface Comparison {
  readonly lines: readonly Line[];
  readonly added: number;
  readonly removed: number;
  /** A message if there is nothing to show. */
  readonly nothing: string;
}

/** Number of unchanged lines shown around a change. */
const AROUND = 3;

/**
 * Compares `{ left, right }` or `{ original, modified }`. With `changes`, the comparison is taken from the
 * data.
 */
export function compare(data: unknown): Comparison {
  const given = recordOf(data);
  const [left, right] = [
    textOf(given["left"] ?? given["original"] ?? ""),
    textOf(given["right"] ?? given["modified"] ?? ""),
  ];
  const { changes } = given;
  const lines = Array.isArray(changes) && changes.length ? linesOf(changes) : diffOf(left, right);
  const count = (sign: Line["sign"]): number => lines.filter((line) => line.sign === sign).length;
  const [added, removed] = [count("+"), count("-")];
  const same = left === right ? "No differences." : "Only the line endings differ.";
  const nothing = lines.length === 0 ? "Nothing to compare." : added + removed ? "" : same;
  return { lines, added, removed, nothing };
}

/** Data other than text is compared as JSON. */
const textOf = (value: unknown = ""): string =>
  typeof value === "string" ? value : JSON.stringify(value, null, 2);

const split = (text: string): string[] => (text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/));

function diffOf(leftText: string, rightText: string): Line[] {
  const [left, right] = [split(leftText), split(rightText)];
  const pairs = matchLines(left, right);
  const lines: Line[] = [];
  let j = 0;
  const addUpTo = (end: number): void => {
    for (; j < end; j++) lines.push({ sign: "+", text: right[j] ?? "", left: 0, right: j + 1 });
  };
  left.forEach((text, i) => {
    const pair = pairs[i] ?? -1;
    if (pair < 0) lines.push({ sign: "-", text, left: i + 1, right: 0 });
    else {
      addUpTo(pair);
      lines.push({ sign: " ", text, left: i + 1, right: ++j });
    }
  });
  addUpTo(right.length);
  return lines;
}

/**
 * Converts the data's `changes`; each has one or more lines. A `lineNumber` is the first line on its side.
 */
function linesOf(changes: readonly unknown[]): Line[] {
  let [left, right] = [0, 0];
  return changes.flatMap((change) => {
    const { value, added, removed, lineNumber } = Object(change);
    const skipped = Number.isInteger(lineNumber) ? lineNumber - 1 - (added ? right : left) : 0;
    if (!added) left += skipped;
    if (!removed) right += skipped;
    return (textOf(value) === "" ? [""] : split(textOf(value))).map((text): Line => {
      if (added) return { sign: "+", text, left: 0, right: ++right };
      if (removed) return { sign: "-", text, left: ++left, right: 0 };
      return { sign: " ", text, left: ++left, right: ++right };
    });
  });
}

/** A run of lines. A folded one contains no change and nothing near a change. */
export interface Stretch {
  readonly lines: readonly Line[];
  readonly isFolded: boolean;
}

/** Folds unchanged lines, except for a few around each change. */
export function stretchesOf(lines: readonly Line[]): Stretch[] {
  const near = new Uint8Array(lines.length);
  lines.forEach(({ sign }, at) => {
    if (sign !== " ") near.fill(1, Math.max(0, at - AROUND), at + AROUND + 1);
  });
  const stretches: Stretch[] = [];
  for (let from = 0, to = 0; from < lines.length; from = to) {
    while (to < lines.length && near[to] === near[from]) to++;
    // Folding one or two lines would save no space.
    stretches.push({ lines: lines.slice(from, to), isFolded: !near[from] && to - from > 2 });
  }
  return stretches;
}
