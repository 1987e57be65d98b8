import { INVALID_PARAMS } from "@vitrine/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readFormAnswer } from "./form-answer.js";
import { readFormSchema } from "./form-schema.js";

const form = (properties: Record<string, unknown>, required?: unknown) => ({
  type: "object",
  properties,
  ...(required !== undefined && { required }),
});
const one = (field: unknown) => readFormSchema(form({ it: field })).properties["it"];

describe("forms", () => {
  it("support all field types of MCP", () => {
    const properties = {
      name: {
        type: "string",
        title: "Name",
        description: "Yours",
        minLength: 1,
        maxLength: 9,
        default: "Ana",
      },
      mail: { type: "string", format: "email" },
      age: { type: "integer", minimum: 0, maximum: 150 },
      share: { type: "number", default: 0.5 },
      agree: { type: "boolean", default: false },
      color: { type: "string", enum: ["red", "blue"], enumNames: ["Red", "Blue"] },
      size: { type: "string", oneOf: [{ const: "s", title: "Small" }] },
      days: { type: "array", items: { type: "string", enum: ["mo", "tu"] }, minItems: 1, maxItems: 2 },
      times: { type: "array", items: { anyOf: [{ const: "am", title: "Morning" }] }, default: ["am"] },
    };
    expect(readFormSchema(form(properties, ["name"]))).toEqual(form(properties, ["name"]));
  });

  it("support nothing else: anything that could execute, refer elsewhere or deceive is dropped", () => {
    const schema = {
      ...form({
        it: { type: "string", pattern: "(a+)+$", format: "regex", $ref: "#/x", "ui:widget": "hidden" },
      }),
      $schema: "https://evil.example/",
      $defs: {},
      allOf: [{}],
      additionalProperties: true,
    };
    expect(readFormSchema(schema)).toEqual(form({ it: { type: "string" } }));
    expect(one({ type: "number", default: "no number", minimum: "0" })).toEqual({ type: "number" });
    expect(one({ type: "string", enum: ["a"], enumNames: ["A", "B"] })).toEqual({
      type: "string",
      enum: ["a"],
    });
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["a list", []],
    ["of another type", { type: "string" }],
    ["without properties", { type: "object" }],
    ["with an object in it", form({ it: { type: "object", properties: {} } })],
    ["with a list of anything", form({ it: { type: "array", items: { type: "string" } } })],
    ["with a list of lists", form({ it: { type: "array", items: { type: "array" } } })],
    ["with a field without a type", form({ it: { enum: ["a"] } })],
    ["with a field of several types", form({ it: { type: ["string", "null"] } })],
    ["with a field that is a string", form({ it: "string" })],
    ["with no choices", form({ it: { type: "string", enum: [] } })],
    ["with choices that are numbers", form({ it: { type: "string", enum: [1] } })],
    ["with too many choices", form({ it: { type: "string", enum: Array(501).fill("a") } })],
    ["with a choice without a title", form({ it: { type: "string", oneOf: [{ const: "a" }] } })],
    [
      "with too many fields",
      form(Object.fromEntries(Array.from({ length: 51 }, (_, n) => [n, { type: "boolean" }]))),
    ],
    ["with a reserved name", form(JSON.parse('{"__proto__":{"type":"string"}}'))],
    ["with a name that is too long", form({ ["n".repeat(201)]: { type: "string" } })],
    ["with a title that is too long", form({ it: { type: "string", title: "t".repeat(5_001) } })],
    ["that requires a missing field", form({ it: { type: "string" } }, ["other"])],
  ])("a form %s is rejected", (_, schema) => {
    expect(() => readFormSchema(schema)).toThrowError(expect.objectContaining({ code: INVALID_PARAMS }));
  });

  it("any input is accepted, or rejected with a code", () => {
    const key = fc.constantFrom(
      "type",
      "properties",
      "items",
      "enum",
      "oneOf",
      "required",
      "object",
      "array",
    );
    fc.assert(
      fc.property(
        fc.object({ key, values: [fc.constantFrom("object", "string", "array"), fc.integer()] }),
        (schema) => {
          try {
            readFormSchema(schema);
          } catch (error) {
            expect(Object(error).code).toBe(INVALID_PARAMS);
          }
        },
      ),
    );
  });
});

describe("an answer to a form", () => {
  const read = (field: unknown, value: unknown) =>
    readFormAnswer(readFormSchema(form({ it: field })), { it: value });

  it.each<[unknown, unknown]>([
    [{ type: "string" }, ""],
    [{ type: "string", maxLength: 2 }, "😀😀"],
    [{ type: "string", format: "email" }, "ana@example.com"],
    [{ type: "string", format: "uri" }, "https://example.com/a?b"],
    [{ type: "string", format: "date" }, "2028-02-29"],
    [{ type: "string", format: "date-time" }, "2026-01-31T23:59:59+01:00"],
    [{ type: "string", enum: ["a", "b"] }, "b"],
    [{ type: "string", oneOf: [{ const: "a", title: "A" }] }, "a"],
    [{ type: "integer", minimum: 1, maximum: 3 }, 3],
    [{ type: "number" }, -0.5],
    [{ type: "boolean" }, false],
    [{ type: "array", items: { type: "string", enum: ["a", "b"] } }, ["b", "a"]],
    [{ type: "array", items: { anyOf: [{ const: "a", title: "A" }] } }, []],
  ])("%j accepts %j", (field, value) => {
    expect(read(field, value)).toEqual({ it: value });
  });

  it.each<[unknown, unknown]>([
    [{ type: "string" }, 1],
    [{ type: "string" }, "x".repeat(100_001)],
    [{ type: "string" }, null],
    [{ type: "string", minLength: 3 }, "ab"],
    [{ type: "string", maxLength: 1 }, "😀😀"],
    [{ type: "string", format: "email" }, "ana@"],
    [{ type: "string", format: "uri" }, "example"],
    [{ type: "string", format: "date" }, "2026-02-30"],
    [{ type: "string", format: "date-time" }, "yesterday"],
    [{ type: "string", enum: ["a"] }, "A"],
    [{ type: "string", oneOf: [{ const: "a", title: "A" }] }, "A"],
    [{ type: "integer" }, 1.5],
    [{ type: "number", maximum: 3 }, 4],
    [{ type: "number" }, "3"],
    [{ type: "boolean" }, "true"],
    [{ type: "array", items: { type: "string", enum: ["a"] } }, ["b"]],
    [{ type: "array", items: { type: "string", enum: ["a"] } }, ["a", "a"]],
    [{ type: "array", items: { type: "string", enum: ["a"] }, minItems: 1 }, []],
    [{ type: "array", items: { type: "string", enum: ["a"] } }, { 0: "a" }],
  ])("%j rejects %j", (field, value) => {
    expect(() => read(field, value)).toThrowError(/the page's answer is unusable/);
  });

  it("contains only the form's fields; required fields must be present", () => {
    const schema = readFormSchema(form({ a: { type: "string" }, b: { type: "string" } }, ["a"]));
    expect(readFormAnswer(schema, { a: "1", secret: "2", toString: "3" })).toEqual({ a: "1" });
    for (const content of [undefined, {}, { b: "1" }, [], "a"]) {
      expect(() => readFormAnswer(schema, content)).toThrowError(/is unusable/);
    }
  });
});
