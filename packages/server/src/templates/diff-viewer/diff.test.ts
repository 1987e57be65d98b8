/** Comparisons: correct for any two texts, minimal, fast, and rendered as text. */

import { diffViewer, renderTemplate } from "@vitrine/server/templates";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compare, stretchesOf } from "./comparison.js";
import { matchLines } from "./diff.js";

/** The length of the longest common subsequence, by the textbook algorithm. */
function longest(a: readonly string[], b: readonly string[]): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const x of a) {
    const next = [0];
    b.forEach((y, j) => {
      next.push(x === y ? (row[j] ?? 0) + 1 : Math.max(row[j + 1] ?? 0, next[j] ?? 0));
    });
    row = next;
  }
  return row.at(-1) ?? 0;
}

describe("the comparison of lines", () => {
  it("finds the longest common subsequence", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c", "d", "}"), { maxLength: 30 });
    fc.assert(
      fc.property(lines, lines, (left, right) => {
        const pairs = [...matchLines(left, right).entries()].filter(([, j]) => j >= 0);
        for (const [i, j] of pairs) expect(right[j]).toBe(left[i]);
        const places = pairs.map(([, j]) => j);
        expect(places).toEqual([...new Set(places)].sort((one, other) => one - other));
        expect(pairs).toHaveLength(longest(left, right));
      }),
    );
  });

  it("reproduces both texts, line by line, with their numbers", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "", "x y"), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(lines, lines, (left, right) => {
        const compared = compare({ left: `${left.join("\n")}\n`, right: `${right.join("\r\n")}\n` }).lines;
        const side = (which: "left" | "right") => compared.filter((line) => line[which] > 0);
        expect(side("left").map(({ text }) => text)).toEqual(left);
        expect(side("right").map(({ text }) => text)).toEqual(right);
        expect(side("right").map((line) => line.right)).toEqual(right.map((_, at) => at + 1));
        expect(stretchesOf(compared).flatMap((stretch) => stretch.lines)).toEqual(compared);
      }),
    );
  });

  it("gives up on reversed texts, and is still correct", () => {
    const left = Array.from({ length: 6000 }, (_, at) => `line ${at}`);
    const { added, removed, lines } = compare({ left: left.join("\n"), right: left.toReversed().join("\n") });
    expect(added).toBe(removed);
    expect(lines.filter(({ left: at }) => at > 0)).toHaveLength(6000);
  });

  it.each([
    [{ left: "a", right: "a" }, "No differences."],
    [{ left: "a\r\nb", right: "a\nb\n" }, "Only the line endings differ."],
    [{}, "Nothing to compare."],
    ["text", "Nothing to compare."],
  ])("has nothing to show for %j", (data, sentence) => {
    expect(compare(data).nothing).toBe(sentence);
  });
});

describe("the diff viewer's text", () => {
  it("is a diff whose fence the texts cannot end", () => {
    const left = ["```", ...Array.from({ length: 10 }, (_, at) => `${at}`)].join("\n");
    const text = diffViewer.text?.({ left, right: left.replace("```", "````") }, { leftTitle: "Old" });
    expect(text).toBe(
      "Old → Modified: 1 added, 1 removed\n\n`````diff\n-```\n+````\n 0\n 1\n 2\n@@ 7 unchanged lines @@\n`````",
    );
    expect(diffViewer.text?.({ original: { a: 1 }, modified: { a: 2 } }, {})).toContain(
      '-  "a": 1\n+  "a": 2',
    );
  });

  it("is in a document of 20,000 bytes at most", () => {
    expect(Buffer.byteLength(renderTemplate(diffViewer, { title: "Changes" }))).toBeLessThanOrEqual(20_000);
    expect(() => renderTemplate(diffViewer, { viewmode: "split" } as never)).toThrow(
      "did you mean viewMode?",
    );
  });
});
