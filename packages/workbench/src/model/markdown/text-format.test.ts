import { expect, it } from "vitest";
import { textFormat } from "./text-format.js";

it.each([
  "# Title\n\ntext",
  "a **strong** word",
  "| a | b |\n|---|---|\n| 1 | 2 |",
  "see [this](https://example.com)",
  "```js\nf()\n```",
  "- one\n- two",
  "1. one\n2. two",
])("%j is Markdown", (text) => {
  expect(textFormat(text)).toBe("markdown");
});

it.each([
  "just text",
  "- a dash",
  "total: 5 * 3 * 2",
  "C:\\*.txt",
  "#include <stdio.h>",
  "<!doctype html>\n# x",
  "2026-01-01 a_b_c",
  "",
  "[not json",
  "{a: 1}",
])("%j is plain", (text) => {
  expect(textFormat(text)).toBe("plain");
});

it("an object or a list is JSON, and a number is not", () => {
  expect(textFormat(' {"a": "**b**"} ')).toBe("json");
  expect(textFormat("[1]")).toBe("json");
  expect(textFormat("12")).toBe("plain");
});

it("its type decides", () => {
  expect(textFormat("text", "text/markdown; charset=utf-8")).toBe("markdown");
  expect(textFormat("# a comment", "text/x-python")).toBe("plain");
  expect(textFormat("# a", "text/plain")).toBe("markdown");
});

it("takes little time with any text", () => {
  const started = performance.now();
  for (const part of ["*", "[", "`", "- ", "**a", "{", "|-"])
    textFormat(part.repeat(1_000_000 / part.length));
  expect(performance.now() - started).toBeLessThan(3_000);
});
