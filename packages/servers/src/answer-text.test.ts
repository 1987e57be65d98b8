import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { membersOf } from "./answer-text.js";

const parts = (text: string): Record<string, string> | undefined => {
  const members = membersOf(text);
  return members && Object.fromEntries([...members].map(([name, span]) => [name, text.slice(...span)]));
};

describe("membersOf", () => {
  it("finds the same members as a parser, for any object", () => {
    const names = fc.constantFrom("id", "result", "jsonrpc", "error");
    fc.assert(
      fc.property(fc.dictionary(names, fc.jsonValue()), fc.constantFrom(0, 2, "\t"), (value, indent) => {
        const found = parts(JSON.stringify(value, undefined, indent));
        const parsed = Object.entries(found ?? {}).map(([name, text]) => [name, JSON.parse(text)]);
        expect(Object.fromEntries(parsed)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it.each([
    ["a list", "[1]"],
    ["two objects", '{"a":1}{"b":2}'],
    ["no end", '{"result":{"a":"b"'],
    ["a string without an end", '{"result":"abc'],
    ["the same name twice", '{"id":1,"id":2}'],
    ["a name in escapes", '{"i\\u0064":1}'],
    ["a missing value", '{"id":,"result":{}}'],
    ["words after it", '{"id":1} x'],
  ])("rejects %s", (_, text) => {
    expect(membersOf(text)).toBeUndefined();
  });

  it("ignores quotes and brackets inside strings", () => {
    const result = '{"text":"\\\\\\"}],\\"id\\":\\"v2\\"{["}';
    expect(parts(`{"id":"v1","result":${result}}`)).toEqual({ id: '"v1"', result });
  });
});
