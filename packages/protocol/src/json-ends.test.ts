import { describe, expect, it } from "vitest";
import { endOfBrackets, endOfString } from "./json-ends.js";

describe("endOfString", () => {
  it.each([
    ['"a"', 2],
    ['"a\\"b"', 5],
    ['"a\\\\"', 4],
    ['"\\\\\\""', 5],
    ['""', 1],
    ['"a', -1],
    ['"a\\"', -1],
  ])("%s ends at %i", (text, end) => {
    expect(endOfString(text, 0)).toBe(end);
  });
});

describe("endOfBrackets", () => {
  it.each([
    ["{}", 2],
    ["[[],{}],1", 7],
    ['{"a":"}]"}x', 10],
    ['{"a":"\\"}"}', 11],
    ["{[}", -1],
    ['{"a":"}', -1],
  ])("%s ends at %i", (text, end) => {
    expect(endOfBrackets(text, 0)).toBe(end);
  });
});
