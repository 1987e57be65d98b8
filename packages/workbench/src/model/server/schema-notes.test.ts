import { describe, expect, it } from "vitest";
import { type NotedTool, notedTools, type SchemaNote, schemaNotes } from "./schema-notes.js";
import { MOST_PARTS, walkSchema } from "./schema-walk.js";

const base = { name: "add", description: "Adds", inputSchema: { type: "object", properties: {} } };
const notesOf = (tool: Partial<NotedTool>): SchemaNote[] => schemaNotes({ ...base, ...tool });
const ids = (tool: Partial<NotedTool>): string[] => notesOf(tool).map(({ id }) => id);
const inputOf = (properties: object, more: object = {}) => ({
  inputSchema: { type: "object", properties, ...more },
});
/** Each note with its places. */
const placed = (tool: Partial<NotedTool>) =>
  Object.fromEntries(notesOf(tool).map(({ id, places }) => [id, places]));
const text = { type: "string" };

describe("notes on a tool", () => {
  it("are about the tool as the server sent it", () => {
    const sent = [{ name: "a" }, null, { name: 7 }, { name: "a", inputSchema: { type: "object" } }];
    const tools = notedTools(sent);
    expect([...tools.keys()]).toEqual(["a"]);
    const tool = tools.get("a") ?? base;
    expect(schemaNotes(tool).map(({ id }) => id)).toEqual(["no-description", "root-type"]);
    expect(ids({ description: { x: 1 }, _meta: 7 })).toEqual(["no-description"]);
  });

  it("are none for a plain one", () => {
    const city = { type: "string", description: "A city", enum: ["Oslo", "Rome"], minLength: 1 };
    const tags = { type: "array", items: { anyOf: [text, { type: "null" }] } };
    const when = { type: "string", format: "date-time" };
    const at = { type: "object", properties: { x: { type: "number" } }, additionalProperties: false };
    const input = inputOf({ city, tags, when, at }, { required: ["city"], additionalProperties: false });
    expect(notesOf({ ...input, outputSchema: { type: "object", properties: { a: {} } } })).toEqual([]);
  });

  it.each([
    ["city.search", ["name-characters"]],
    ["", ["name-characters"]],
    ["größe", ["name-characters"]],
    ["3d", ["name-start"]],
    ["a".repeat(58), []],
    ["a".repeat(59), ["name-length"]],
    ["a".repeat(65), ["name-length"]],
  ])("are about its name: %s", (name, expected) => {
    expect(ids({ name })).toEqual(expected);
  });

  it("name who limits the length of its name", () => {
    expect(notesOf({ name: "a".repeat(64) })[0]?.text).toContain("Cursor");
    expect(notesOf({ name: "a".repeat(65) })[0]?.text).toContain("OpenAI");
  });

  it("are about a missing description", () => {
    expect(ids({ description: undefined })).toEqual(["no-description"]);
    expect(ids({ description: "  " })).toEqual(["no-description"]);
  });

  it("leave out the input of a tool that models do not see", () => {
    const _meta = { ui: { visibility: ["app"] } };
    const hidden = { name: "a b", description: undefined, inputSchema: {}, outputSchema: {}, _meta };
    expect(notesOf(hidden).map(({ id, about }) => [id, about])).toEqual([["root-type", "output schema"]]);
  });
});

describe("notes on an input schema", () => {
  it.each([
    ["another type", { type: "string" }, ["root-type"]],
    ["no type", { properties: {} }, ["root-type"]],
    ["alternatives", { ...base.inputSchema, anyOf: [], oneOf: [] }, ["root-combined"]],
    ["a restriction", { ...base.inputSchema, not: {} }, ["root-restricted"]],
    ["no properties", { type: "object" }, ["no-properties"]],
    ["no schema", null, ["root-type"]],
  ])("are about its root: %s", (_title, inputSchema, expected) => {
    expect(ids({ inputSchema })).toEqual(expected);
  });

  it("name the keywords at its root, and allow them in a property", () => {
    const combined = { anyOf: [], oneOf: [] };
    expect(notesOf({ inputSchema: { ...base.inputSchema, ...combined } })[0]?.text).toContain(
      "`oneOf` and `anyOf`",
    );
    expect(notesOf(inputOf({ either: { anyOf: [text], oneOf: [text], allOf: [text], not: {} } }))).toEqual(
      [],
    );
  });

  it("are about names of arguments, not of deeper properties", () => {
    const deep = { type: "object", properties: { "a b": text } };
    const names = inputOf({ "filter[id]": text, ["a".repeat(65)]: text, "x.y": text, "2d": text, deep });
    const [first, second, ...others] = notesOf(names);
    expect(first).toMatchObject({ id: "argument-characters", more: 0 });
    expect(first?.places).toEqual(["filter[id]", "a".repeat(65)]);
    expect(second).toMatchObject({ id: "argument-characters-gemini", places: ["x.y", "2d"] });
    expect(others).toEqual([]);
  });

  it("name the places, the first three", () => {
    const list = () => ({ type: "array" });
    const inside = { type: "object", properties: { list: list() }, patternProperties: { "^x": list() } };
    const some = inputOf({
      a: list(),
      b: { type: "array", items: list() },
      c: inside,
      d: { prefixItems: [list()] },
    });
    expect(notesOf(some)).toMatchObject([{ id: "array-items", places: ["a", "b[]", "c.list"], more: 2 }]);
  });

  it.each([
    ["a list of types", { type: ["string", "null"] }, ["type-list"]],
    ["a list with an array", { type: ["array", "null"] }, ["array-items", "type-list"]],
    ["numbers in an enumeration", { enum: [1, 2] }, ["enum-values"]],
    ["a format", { type: "string", format: "uri" }, ["format"]],
    ["a format of a number", { type: "integer", format: "int64" }, []],
    ["a default", { type: "string", default: "Oslo" }, ["default"]],
    ["a pattern", { type: "string", pattern: "^O" }, ["pattern"]],
    ["anything", true, ["boolean-schema"]],
    ["another document", { $ref: "https://example.com/s.json" }, ["reference-external"]],
    ["nothing", { $ref: "#/$defs/none" }, ["reference-missing"]],
    ["what every object inherits", { $ref: "#/$defs/toString" }, ["reference-missing"]],
    ["a definition", { $ref: "#/$defs/a~1b%20c" }, ["reference"]],
    ["an anchor", { $ref: "#city" }, ["reference"]],
    ["the whole schema", { $ref: "#" }, ["recursive"]],
  ])("are about a property with %s", (_title, value, expected) => {
    const tool = inputOf({ value }, { $defs: { "a/b c": text } });
    expect(ids(tool)).toEqual(expected);
    for (const { places } of notesOf(tool)) expect(places).toEqual(["value"]);
  });

  it("are not about data that looks like a schema", () => {
    const data = { type: "array", $ref: "#/none" };
    expect(ids(inputOf({ a: { const: data, examples: [data] } }))).toEqual([]);
  });

  it("find recursion, also through several definitions and into the middle of one", () => {
    const node = { type: "object", properties: { next: { $ref: "#/$defs/other" } } };
    const other = { type: "array", items: { $ref: "#/$defs/node" } };
    const through = inputOf({ list: { $ref: "#/$defs/node" } }, { $defs: { node, other } });
    expect(placed(through)).toEqual({ recursive: ["list.next[]"] });
    const tree = { type: "object", properties: { leaf: { allOf: [{ $ref: "#/$defs/tree" }] } } };
    const middle = inputOf({ a: { $ref: "#/$defs/tree/properties/leaf" } }, { $defs: { tree } });
    expect(placed(middle)).toEqual({ recursive: ["a.allOf[0]"] });
    const twice = inputOf({ a: { $ref: "#/$defs/x" }, b: { $ref: "#/$defs/x" } }, { $defs: { x: text } });
    expect(placed(twice)).toEqual({ reference: ["a", "b"] });
  });

  it("count the levels of objects, through references and without unused definitions", () => {
    const nested = (levels: number): object =>
      levels === 0 ? text : { type: "object", properties: { in: nested(levels - 1) } };
    const deep = (levels: number): object => inputOf({ in: { type: "array", items: nested(levels - 1) } });
    expect(ids(deep(10))).toEqual([]);
    expect(ids(deep(11))).toEqual(["levels"]);
    expect(notesOf(deep(12))[0]?.text).toContain("has 12");
    const $defs = { five: nested(5), unused: nested(20) };
    expect(walkSchema({ properties: { a: { items: { $ref: "#/$defs/five" } } }, $defs }).levels).toBe(6);
    const inside = { properties: { c: { $ref: "#/$defs/five" } } };
    expect(walkSchema({ properties: { a: { $ref: "#/$defs/five" }, inside }, $defs }).levels).toBe(7);
    const both = { anyOf: [{ $ref: "#/$defs/five" }, nested(7)] };
    expect(walkSchema({ properties: { a: { $ref: "#/$defs/five" }, both }, $defs }).levels).toBe(8);
  });

  it("are about too many properties", () => {
    const many = (count: number) =>
      inputOf(Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, text])));
    expect(ids(many(5_000))).toEqual([]);
    expect(ids(many(5_001))).toEqual(["properties"]);
  });
});

describe("notes on an output schema", () => {
  it("are about its root, recursion and references, and not about hints for models", () => {
    const node = { type: "object", properties: { next: { $ref: "#/$defs/node" } } };
    const outputSchema = {
      type: "array",
      items: { $ref: "#/$defs/node" },
      properties: { a: true, b: { $ref: "x.json" }, c: { $ref: "#/none" }, d: { type: "array", default: 1 } },
      $defs: { node },
    };
    expect(placed({ outputSchema })).toEqual({
      "root-type": [],
      recursive: ["[].next"],
      "reference-missing": ["c"],
      "reference-external": ["b"],
      "boolean-schema": ["a"],
    });
    expect(notesOf({ outputSchema }).every(({ about }) => about === "output schema")).toBe(true);
  });
});

describe("hostile schemas", () => {
  it("may be nested as deep as they like", () => {
    let deep: object = { type: "array" };
    for (let level = 0; level < 8_000; level++) deep = { items: deep };
    const [note] = notesOf(inputOf({ deep }));
    expect(note?.id).toBe("array-items");
    expect(note?.places[0]).toMatch(/^…\[\](\[\])+$/);
    expect(note?.places[0]?.length).toBeLessThan(100);
  });

  it("are visited up to a limit, which a note says", () => {
    const wide = (count: number) => ({ anyOf: Array.from({ length: count }, () => ({ type: "array" })) });
    const { parts, isCut } = walkSchema(wide(5 * MOST_PARTS));
    expect(parts).toHaveLength(MOST_PARTS);
    expect(isCut).toBe(true);
    expect(ids(inputOf({ a: wide(5 * MOST_PARTS) }))).toContain("cut");
    expect(walkSchema(wide(MOST_PARTS - 1)).isCut).toBe(false);
  });

  it("cost each part once, however often they are referred to", () => {
    // Written out, this has 2 to the power of 200 parts.
    const $defs = Object.fromEntries(
      Array.from({ length: 200 }, (_, n) => [
        `d${n}`,
        { anyOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
      ]),
    );
    const { parts, references } = walkSchema({ $ref: "#/$defs/d0", $defs });
    expect(parts).toHaveLength(601);
    expect(references.filter(({ kind }) => kind === "missing")).toHaveLength(2);
    expect(references.some(({ kind }) => kind === "recursive")).toBe(false);
  });

  it.each([
    ["properties", { properties: [1, null, "x"] }],
    ["a list", { anyOf: { 0: {} }, items: [null, 1, {}] }],
    ["a reference", { $ref: 5, items: { $ref: "#/%E0%A4%A/__proto__/constructor" } }],
    ["types", { type: { toString: null }, enum: 7, format: {}, pattern: [] }],
    ["a long reference", { items: { $ref: `#/${"a/".repeat(1_000_000)}` } }],
  ])("may be malformed: %s", (_title, schema) => {
    expect(() => notesOf({ inputSchema: schema, outputSchema: schema })).not.toThrow();
  });
});
