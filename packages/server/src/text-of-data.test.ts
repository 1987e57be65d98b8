import { describe, expect, it } from "vitest";
import { textOfData } from "./text-of-data.js";

describe("data as text", () => {
  it.each([
    ["a text", "a text"],
    [5, "5"],
    [null, ""],
    [[], "(nothing)"],
    [{}, "(nothing)"],
    [["a", 1], "- a\n- 1"],
    [{ city: "Berne", tags: ["a", "b"], open: false }, "- city: Berne\n- tags: a, b\n- open: false"],
    [{ items: [{ a: 1 }, { b: "x|y\nz" }] }, "| a | b |\n| --- | --- |\n| 1 |  |\n|  | x\\|y z |"],
    [{ n: 1, rows: [{ a: 1 }] }, "- n: 1\n\nrows:\n\n| a |\n| --- |\n| 1 |"],
    [{ deep: { a: [{ b: 1 }] } }, '- deep: {"a":[{"b":1}]}'],
  ])("%j", (data, text) => {
    expect(textOfData(data)).toBe(text);
  });

  it("is limited in length", () => {
    const rows = Array.from({ length: 250 }, (_, id) => ({ id }));
    const text = textOfData(rows);
    expect(text.split("\n")).toHaveLength(104);
    expect(text).toMatch(/… and 150 more$/);
  });
});
