import fc from "fast-check";
import { expect, it } from "vitest";
import { lineOf, wordsOf } from "./command-words.js";

it("reads quotes and backslashes, and nothing else of a shell", () => {
  expect(wordsOf(`npx -y '@a/b c' "d \\" e" f\\ g $HOME *`)).toEqual([
    "npx",
    "-y",
    "@a/b c",
    'd " e',
    "f g",
    "$HOME",
    "*",
  ]);
  expect(wordsOf("  ")).toEqual([]);
  expect(wordsOf("''")).toEqual([""]);
  expect(wordsOf("a 'b")).toBeUndefined();
  expect(wordsOf("a\\")).toBeUndefined();
});

it("reads what it writes", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary" })), (words) => {
      expect(wordsOf(lineOf(words))).toEqual(words);
    }),
  );
});
