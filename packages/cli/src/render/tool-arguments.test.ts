import type { Tool } from "@vitrine/protocol";
import { expect, it } from "vitest";
import { defaultArguments, problemWith, smallestArguments } from "./tool-arguments.js";

const tool = (inputSchema: unknown): Tool => ({
  name: "tool",
  inputSchema: inputSchema as Tool["inputSchema"],
});

it.each<[string, object, unknown]>([
  ["a default", { type: "number", default: 3 }, 3],
  ["an example", { type: "string", examples: ["Rome", "Bern"] }, "Rome"],
  ["a constant", { const: "on" }, "on"],
  ["one of several", { enum: ["a", "b"] }, "a"],
  ["a text", { type: "string", minLength: 3 }, "xxx"],
  ["an address", { type: "string", format: "uri" }, "https://example.com/"],
  ["a day", { type: "string", format: "date" }, "2026-01-01"],
  ["a whole number", { type: "integer", minimum: 1, maximum: 9 }, 1],
  ["one above another", { type: "integer", exclusiveMinimum: 4 }, 5],
  ["one below zero", { type: "number", maximum: -2 }, -2],
  ["a multiple", { type: "integer", minimum: 7, multipleOf: 5 }, 10],
  ["a truth value", { type: "boolean" }, false],
  ["nothing", { type: "null" }, null],
  ["a list", { type: "array", minItems: 2, items: { type: "integer" } }, [0, 0]],
  ["an object", { type: "object", properties: { a: { type: "string" }, b: {} }, required: ["a"] }, { a: "" }],
  ["one of several kinds", { type: ["string", "null"] }, ""],
  ["one of several schemas", { anyOf: [{ type: "integer" }, { type: "string" }] }, 0],
  [
    "several schemas at once",
    { allOf: [{ type: "object", properties: { a: { const: 1 } }, required: ["a"] }] },
    { a: 1 },
  ],
  ["a value that is defined elsewhere", { $ref: "#/$defs/side" }, "left"],
])("generates the smallest value for %s", (_what, value, expected) => {
  const made = tool({
    type: "object",
    properties: { value, optional: { type: "string" } },
    required: ["value"],
    $defs: { side: { enum: ["left", "right"] } },
  });
  expect(smallestArguments(made)).toEqual({ value: expected });
  expect(problemWith(made, smallestArguments(made))).toBeUndefined();
});

it("terminates for a recursive schema", () => {
  const schema = { type: "object", properties: { next: { $ref: "#" } }, required: ["next"] };
  expect(problemWith(tool(schema), smallestArguments(tool(schema)))).toMatch(/next/);
});

it("uses only the defaults of a schema", () => {
  const schema = {
    type: "object",
    properties: { a: { default: 1 }, b: { type: "string" } },
    required: ["b"],
  };
  expect(defaultArguments(tool(schema))).toEqual({ a: 1 });
  expect(problemWith(tool(schema), { a: 1 })).toMatch(/^the arguments .*'b'/);
});

it("leaves an invalid schema to the server", () => {
  expect(problemWith(tool({ type: "nonsense" }), {})).toBeUndefined();
  expect(problemWith(tool(undefined), {})).toBeUndefined();
  expect(smallestArguments(tool(undefined))).toEqual({});
});
