import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, describe, expect, it } from "vitest";
import { jsonArguments, wordArguments } from "./call-arguments.js";

const folder = mkdtempSync(join(tmpdir(), "vitrine-arguments-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const schema = {
  type: "object",
  properties: {
    city: { type: "string" },
    days: { type: "integer" },
    tags: { type: "array" },
    any: {},
  },
};

const callArguments = async (
  args: string | undefined,
  words: string[],
  schema: unknown,
  stdin?: Readable,
) => ({
  ...(await jsonArguments(args, stdin)),
  ...wordArguments(words, schema),
});

describe("the arguments of a call", () => {
  it("reads JSON, a file and stdin", async () => {
    const file = join(folder, "a.json");
    writeFileSync(file, '\uFEFF{"city": "Rome"}');
    expect(await callArguments('{"city": "Rome"}', [], schema)).toEqual({ city: "Rome" });
    expect(await callArguments(`@${file}`, [], schema)).toEqual({ city: "Rome" });
    expect(await callArguments("-", [], schema, Readable.from(['{"city":', '"Rome"}']))).toEqual({
      city: "Rome",
    });
    expect(await callArguments(undefined, [], schema)).toEqual({});
  });

  it("parses words by the tool's schema, and they override the JSON", async () => {
    const words = ["city=5", "days=3", "tags=[1]", "any=true", "other=a=b", "empty="];
    expect(await callArguments('{"city": "x", "more": 1}', words, schema)).toEqual({
      city: "5",
      days: 3,
      tags: [1],
      any: true,
      other: "a=b",
      empty: "",
      more: 1,
    });
    expect(await callArguments(undefined, ["a=1", "b=x"], "no schema")).toEqual({ a: 1, b: "x" });
    const odd = await callArguments('{"__proto__": {"x": 1}}', ["__proto__=1"], schema);
    expect(Object.getPrototypeOf(odd)).toBe(Object.prototype);
  });

  it.each<[string | undefined, string[], string]>([
    ['{"city": }', [], "--args is not JSON: line 1, column 10: a value is missing here"],
    ['{\n  "city": "Rome"\n  "days": 1}', [], "line 3, column 3"],
    ["", [], "the text is empty"],
    ["[1]", [], "arguments are an object"],
    ["null", [], "arguments are an object"],
    ["@/nowhere/a.json", [], "there is no such file"],
    [undefined, ["city"], "key=value"],
    [undefined, ["=x"], "key=value"],
    [undefined, ["days=three"], "a value of type integer"],
    [undefined, ["dais=3"], 'did you mean "days"?'],
  ])("%j %j is refused: %s", async (args, words, sentence) => {
    await expect(callArguments(args, words, schema)).rejects.toThrow(sentence);
  });

  it.each(["{", "[1]"])("%s is a usage error on the command line, and not elsewhere", async (text) => {
    const file = join(folder, "wrong.json");
    writeFileSync(file, text);
    const code = "arguments-invalid";
    await expect(jsonArguments(text)).rejects.toMatchObject({ code, exit: 2 });
    await expect(jsonArguments(`@${file}`)).rejects.toMatchObject({ code, exit: 1 });
    await expect(jsonArguments("-", Readable.from([text]))).rejects.toMatchObject({ code, exit: 1 });
  });
});
