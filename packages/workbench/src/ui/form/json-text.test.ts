import { describe, expect, it } from "vitest";
import { errorAt, readArguments } from "./json-text.js";

describe("JSON that a user typed", () => {
  it("is read as the arguments of a tool", () => {
    expect(readArguments(' {"a": [1, {"b": null}]} ').value).toEqual({ a: [1, { b: null }] });
  });

  it.each([
    ['{"a": 1,\n "b": }', "line 2, column 7", '"}" is not expected there'],
    ['{\n  "a": 1,\n}', "line 3, column 1", '"}" is not expected there'],
    ['{"a": tru}', "line 1, column 7", '"t" is not expected there'],
    ['{"a": "x\ny"}', "line 1, column 7", "is not expected there"],
    ['{"a": [1, 2}', "line 1, column 12", '"}" is not expected there'],
    ['{"a": 1', "line 1, column 8", "it ends too early"],
    ["", "line 1, column 1", "it ends too early"],
    ["{} {}", "line 1, column 4", '"{" is not expected there'],
    ["{'a': 1}", "line 1, column 2", "is not expected there"],
  ])("%j is wrong at %s", (text, where, why) => {
    const { problem } = readArguments(text);
    expect(problem).toContain(where);
    expect(problem).toContain(why);
  });

  it.each(["[1]", "1", "null", '"{}"'])("%s is JSON, and no object", (text) => {
    expect(readArguments(text).problem).toBe(
      "The arguments of a tool are an object: begin with { and end with }.",
    );
  });

  it("finds no error in text that the browser parses", () => {
    for (const value of [{}, [], { a: [true, false, null, -1.5e-7, '\u2028\\"\u0080'] }, "x", 0]) {
      const text = JSON.stringify(value, null, 2);
      expect(errorAt(text)).toBe(text.length);
    }
  });
});
