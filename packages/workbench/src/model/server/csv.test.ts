import { describe, expect, it } from "vitest";
import { readCsv } from "./csv.js";

describe("readCsv", () => {
  it.each([
    [
      "a,b\r\nc,d\r\n",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    [
      "a,b\nc,d",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    [
      "a,,\n,b",
      [
        ["a", "", ""],
        ["", "b"],
      ],
    ],
    ['"a,b","c\nd","say ""hi"""', [["a,b", "c\nd", 'say "hi"']]],
    ['"",x', [["", "x"]]],
    ["\uFEFFa,b", [["a", "b"]]],
    ['5" pipe,x', [['5" pipe', "x"]]],
    ['"a"b,c', [["ab", "c"]]],
    ['"never closed,\nx', [["never closed,\nx"]]],
    ["", []],
  ])("reads %j", (text, rows) => {
    expect(readCsv(text)).toEqual({ rows, isCut: false });
  });

  it("reads other separators", () => {
    expect(readCsv("a\tb,c", { separator: "\t" }).rows).toEqual([["a", "b,c"]]);
  });

  it("stops at the most rows, and at 200 cells of a row", () => {
    expect(readCsv("1\n2\n3\n", { most: 2 })).toEqual({ rows: [["1"], ["2"]], isCut: true });
    expect(readCsv("1\n2\n", { most: 2 }).isCut).toBe(false);
    expect(readCsv(`${"x,".repeat(100_000)}x`).rows[0]).toHaveLength(200);
  });
});
