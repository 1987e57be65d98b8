/** Locations in JSON. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { jsonPlaces, lineAt } from "./json-places.js";

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

it("finds the line of each field, by its path", () => {
  const text = '{\n  "a": [1,\n    {"b": "}"}],\n  "c":\n  null\n}';
  const { starts, failedAt } = jsonPlaces(text);
  expect(failedAt).toBeUndefined();
  expect(Object.fromEntries([...starts].map(([path, at]) => [path, lineAt(text, at)]))).toEqual({
    it: 1,
    "it.a": 2,
    "it.a[0]": 2,
    "it.a[1]": 3,
    "it.a[1].b": 3,
    "it.c": 4,
  });
});

it.each([
  ['{"a": 1,\n}', 2],
  ['{\n"a" 1}', 2],
  ["[1,\n\n2", 3],
  ["{} x", 1],
  ["", 1],
  ["{'a': 1}", 1],
])("finds the line of the syntax error in %j", (text, line) => {
  const { failedAt } = jsonPlaces(text);
  expect(lineAt(text, failedAt ?? Number.NaN)).toBe(line);
});

it("agrees with JSON.parse, also on invalid JSON", () => {
  const broken = fc
    .tuple(fc.json(), fc.nat(), fc.nat(3), fc.constantFrom("", ",", "}", '"', "\\", "0", " ", "\n", "\u0001"))
    .map(([text, at, count, piece]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + piece + text.slice(place + count);
    });
  fc.assert(
    fc.property(fc.oneof(fc.json(), broken), (text) => {
      expect(jsonPlaces(text).failedAt === undefined).toBe(isJson(text));
    }),
    { numRuns: 500 },
  );
});

it("gives up beyond the maximum depth", () => {
  expect(jsonPlaces("[".repeat(100_000)).failedAt).toBeDefined();
});
