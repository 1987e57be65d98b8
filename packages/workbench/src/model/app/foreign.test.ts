import type { ServerCatalogue } from "@vitrine/wire";
import { describe, expect, it } from "vitest";
import { readCatalogue, readContent, readProgress, readResult, readTool } from "./foreign.js";

const inputSchema = { type: "object" };

describe("a tool", () => {
  it("that is valid stays unchanged", () => {
    const tool = {
      name: "a",
      title: "A",
      inputSchema: {
        type: "object",
        properties: { title: { type: "string", title: "T" } },
        "x-own": { a: 1 },
      },
      annotations: { readOnlyHint: true },
      _meta: { ui: { resourceUri: "ui://a" } },
    };
    expect(readTool(tool)).toEqual(tool);
  });

  it("is read without the fields that are wrong, and with the others", () => {
    const annotations = { readOnlyHint: true };
    const wrong = { name: "a", title: { x: 1 }, description: ["x"], inputSchema, annotations, icons: 7 };
    expect(readTool(wrong)).toEqual({ name: "a", inputSchema, annotations });
  });

  it("without a schema takes anything", () => {
    expect(readTool({ name: "a" })).toEqual({ name: "a", inputSchema });
    expect(readTool({ name: "a", inputSchema: null })).toEqual({ name: "a", inputSchema });
  });

  it("drops schema keywords that are not strings; properties with such names stay", () => {
    const part = { type: "string", title: { x: 1 }, description: 7, default: { title: { kept: true } } };
    const read = readTool({
      name: "a",
      inputSchema: {
        type: "object",
        properties: { title: part, bad: 7 },
        anyOf: [part, 7],
        items: { title: {} },
        $defs: { description: part },
        required: {},
      },
    });
    const clean = { type: "string", default: { title: { kept: true } } };
    expect(read?.inputSchema).toEqual({
      type: "object",
      properties: { title: clean },
      anyOf: [clean],
      items: {},
      $defs: { description: clean },
    });
  });

  it("without a name is dropped, and of two with one name the first counts", () => {
    const tools = [
      7,
      null,
      { title: "no name" },
      { name: "a", title: "first" },
      { name: "a", title: "second" },
    ];
    const catalogue = { tools, resources: [], templates: [], prompts: [], views: [] };
    expect(readCatalogue(catalogue as unknown as ServerCatalogue).tools).toEqual([
      { name: "a", title: "first", inputSchema },
    ]);
  });
});

describe("a result", () => {
  it("that is valid stays unchanged", () => {
    const result = {
      content: [{ type: "text", text: "a", "x-own": 1 }],
      structuredContent: { a: 1 },
      isError: true,
      _meta: { b: 2 },
      other: 3,
    };
    expect(readResult(result)).toEqual(result);
  });

  it("always has a list of blocks; invalid content is shown as JSON", () => {
    const json = (value: unknown) => ({ type: "text", text: JSON.stringify(value, null, 2) });
    expect(readResult({})).toEqual({ content: [] });
    expect(readResult(null)).toEqual({ content: [json(null)] });
    expect(readResult({ content: { a: 1 }, isError: "no", _meta: 7 })).toEqual({ content: [json({ a: 1 })] });
    expect(readResult({ toolResult: 7 })).toEqual({ content: [json({ toolResult: 7 })], toolResult: 7 });
    const good = { type: "text", text: "good" };
    const odd = { type: "text", text: { a: 1 } };
    expect(readContent([odd, null, good])).toEqual([json(odd), json(null), good]);
  });
});

it("progress is numbers and text, and nothing else", () => {
  expect(readProgress({ progress: "1", total: {}, message: { x: 1 } })).toEqual({ progress: 0 });
  expect(readProgress({ progress: 1, total: 2, message: "m" })).toEqual({
    progress: 1,
    total: 2,
    message: "m",
  });
  expect(readProgress(undefined)).toBeUndefined();
});
