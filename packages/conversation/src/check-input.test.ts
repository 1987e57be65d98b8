import { describe, expect, it } from "vitest";
import { inputProblem, readInput } from "./check-input.js";

describe("arguments as a model wrote them", () => {
  it.each([
    ["", {}],
    ["  ", {}],
    ["{}", {}],
    ['{"a":[1,{"b":null}]}', { a: [1, { b: null }] }],
  ])("%j are valid", (text, input) => {
    expect(readInput(text)).toEqual({ input });
  });

  it.each(["[]", "null", '"a"', "3", "{", '{"a":1} {', "{'a':1}", '{"pin":"1234'])(
    "%j are invalid",
    (text) => {
      const { input, problem } = readInput(text);
      expect(input).toBeUndefined();
      expect(problem).toMatch(/JSON/);
      expect(problem).not.toContain("1234");
    },
  );
});

describe("a tool's schema", () => {
  it.each([
    [{ type: "object" }, { a: 1 }],
    [undefined, { a: 1 }],
    [{ properties: { a: { type: "integer" } } }, { a: 1, b: 2 }],
    [{ $schema: "http://json-schema.org/draft-07/schema#", properties: { a: { const: 1 } } }, { a: 1 }],
    [{ properties: { a: { $ref: "#/$defs/n" } }, $defs: { n: { type: "number" } } }, { a: 1 }],
  ])("%j accepts %j", (schema, input) => {
    expect(inputProblem(schema, input)).toBeUndefined();
  });

  it.each([
    [{ properties: { a: { type: "integer" } } }, { a: "x" }, /^- a: .*integer/m],
    [{ properties: { a: { properties: { b: { enum: [1, 2] } } } } }, { a: { b: 3 } }, /^- a\.b: /m],
    [{ properties: { a: { items: { type: "string" } } } }, { a: ["x", 1] }, /^- a\.1: /m],
    [{ required: ["city"] }, {}, /^- \(the arguments\): .*"city"/m],
    [{ properties: { a: {} }, additionalProperties: false }, { b: 1 }, /b/],
    [{ properties: { "a/b": { type: "null" } } }, { "a/b": 1 }, /^- a\/b: /m],
  ])("%j rejects %j, and names the field", (schema, input, problem) => {
    expect(inputProblem(schema, input)).toMatch(problem);
  });

  it("does not reveal the value of a secret", () => {
    const schema = { properties: { pin: { type: "number", format: "password", minimum: 5000 } } };
    const problem = inputProblem(schema, { pin: 1234 });
    expect(problem).toMatch(/- pin: /);
    expect(problem).not.toContain("1234");
  });

  it.each([
    ["a pattern that takes forever", { properties: { a: { pattern: "^(a+)+$" } } }],
    ["circular references", { $ref: "#" }],
    ["references that multiply", doubling(40)],
    ["invalid keywords", { type: 7, properties: 3, $ref: "#/nowhere" }],
  ])("with %s cannot block the gateway: the server decides", (_name, schema) => {
    const started = performance.now();
    expect(inputProblem(schema, { a: `${"a".repeat(40)}!` })).toBeUndefined();
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it("is not modified", () => {
    const schema = Object.freeze({ properties: Object.freeze({ a: Object.freeze({ type: "string" }) }) });
    expect(inputProblem(schema, { a: 1 })).toMatch(/- a: /);
  });
});

function doubling(levels: number): object {
  const $defs: Record<string, object> = { d0: { type: "object" } };
  for (let at = 1; at <= levels; at++) {
    const $ref = `#/$defs/d${at - 1}`;
    $defs[`d${at}`] = { allOf: [{ $ref }, { $ref }] };
  }
  return { $ref: `#/$defs/d${levels}`, $defs };
}
