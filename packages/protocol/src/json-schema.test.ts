/** Our validator of JSON Schema, compared with Ajv. */
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type JsonSchema, jsonSchemaProblem } from "./json-schema.js";

const TYPES = ["object", "array", "string", "number", "integer", "boolean", "null"] as const;
/** Names that objects inherit are among them. */
const NAMES = ["a", "b", "isPrototypeOf"];
const name = fc.constantFrom(...NAMES);
const count = fc.integer({ min: 0, max: 3 });
const bound = fc.constantFrom(-1, 0, 0.5, 1, 2);
const leaf = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    1,
    -1,
    0.5,
    2,
    1e300,
    "",
    "a",
    "ab",
    "abc",
    "\u{1F600}",
    "\u{1F600}b",
  ),
  fc.string({ maxLength: 4, unit: "grapheme" }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

const { value, schema } = fc.letrec<{ value: unknown; schema: JsonSchema }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthIdentifier: "value" },
    leaf,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.oneof(name, fc.string({ maxLength: 2 })), tie("value"), { maxKeys: 3 }),
  ),
  schema: fc.oneof(
    { maxDepth: 3, depthIdentifier: "schema" },
    fc.record({ type: fc.constantFrom(...TYPES) }),
    fc.record(
      {
        type: fc.constantFrom(...TYPES),
        enum: fc.array(tie("value"), { minLength: 1, maxLength: 3 }),
        properties: fc.dictionary(name, tie("schema"), { maxKeys: 3 }),
        required: fc.uniqueArray(name),
        additionalProperties: fc.oneof(fc.boolean(), tie("schema")),
        items: tie("schema"),
        minItems: count,
        maxItems: count,
        uniqueItems: fc.boolean(),
        minLength: count,
        maxLength: count,
        minimum: bound,
        maximum: bound,
        pattern: fc.constantFrom("^a", "b$", "^.$", "^[^a]*$"),
        anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }),
      },
      { requiredKeys: [] },
    ),
  ) as fc.Arbitrary<JsonSchema>,
}));

/** As it arrives: without -0, which JSON has, but no schema tells from 0. */
const asJson = <T>(given: T): T => JSON.parse(JSON.stringify(given)) as T;

/** A few keywords at a time, so that many values are valid. */
const few = fc.tuple(schema, fc.array(fc.nat(), { minLength: 1, maxLength: 3 })).map(([all, picks]) => {
  const keywords = Object.entries(all);
  return Object.fromEntries(
    keywords.length === 0 ? [] : picks.map((pick) => keywords[pick % keywords.length] ?? ["type", "null"]),
  ) as JsonSchema;
});

describe("our validator of JSON Schema", () => {
  it.each([
    ["all keywords", schema],
    ["a few keywords", few],
  ])("agrees with Ajv: %s", (_name, schemas) => {
    const verdicts = { valid: 0, invalid: 0 };
    fc.assert(
      fc.property(
        schemas.map(asJson),
        fc.array(value.map(asJson), { minLength: 1, maxLength: 8 }),
        (given, values) => {
          const ajv = new Ajv2020({
            strict: false,
            validateSchema: false,
            ownProperties: true,
            logger: false,
          });
          const validate = ajv.compile(given);
          for (const each of values) {
            const isValid = validate(each);
            verdicts[isValid ? "valid" : "invalid"]++;
            const problem = jsonSchemaProblem(each, given, "it");
            if ((problem === undefined) !== isValid)
              throw new Error(
                `${JSON.stringify(each)}: ${problem}, but Ajv: ${ajv.errorsText(validate.errors)}`,
              );
          }
        },
      ),
      { numRuns: 300 },
    );
    // Both verdicts are common, or the comparison would prove little.
    expect(Math.min(verdicts.valid, verdicts.invalid)).toBeGreaterThan(20);
  });

  it("says where and how a value is wrong", () => {
    const schema: JsonSchema = {
      type: "object",
      properties: {
        list: { type: "array", items: { type: "string", minLength: 1 }, minItems: 1 },
        either: { anyOf: [{ type: "string" }, { type: "integer", maximum: 5 }] },
        kind: { enum: ["a", "b"] },
        url: { type: "string", pattern: "^https://" },
        flag: { type: "boolean" },
        none: { type: "null" },
      },
      additionalProperties: { type: "number" },
    };
    const fine = { list: ["x"], either: 5, kind: "a", url: "https://a", flag: false, none: null, more: 1.5 };
    expect(jsonSchemaProblem(fine, schema, "it")).toBeUndefined();
    for (const [wrong, message] of [
      [[], "it must be an object"],
      [{ list: [] }, "it.list must have 1 or more"],
      [{ list: [""] }, "it.list[0] must not be empty"],
      [{ either: 6 }, "it.either must be a string, or it.either must be 5 or less"],
      [{ kind: "c" }, 'it.kind must be one of "a", "b"'],
      [{ url: "http://a" }, "it.url must match ^https://"],
      [{ flag: 0 }, "it.flag must be true or false"],
      [{ none: 0 }, "it.none must be null"],
      [{ more: "x" }, "it.more must be a number"],
    ] as const) {
      expect(jsonSchemaProblem(wrong, schema, "it")).toBe(message);
    }
  });

  it("counts code points, as Ajv does", () => {
    for (const given of [{ maxLength: 1 }, { minLength: 2 }, { minLength: 1, maxLength: 2 }])
      for (const text of ["", "a", "ab", "\u{1F600}", "\u{1F600}\u{1F600}", "\u{1F600}ab"])
        expect([text, given, jsonSchemaProblem(text, given, "it") === undefined]).toEqual([
          text,
          given,
          new Ajv2020().validate(given, text),
        ]);
  });

  it("a member that is undefined counts as absent", () => {
    const given: JsonSchema = {
      type: "object",
      properties: { a: { type: "string" } },
      additionalProperties: false,
    };
    expect(jsonSchemaProblem({ a: undefined, b: undefined }, given, "it")).toBeUndefined();
    expect(jsonSchemaProblem({ a: undefined }, { ...given, required: ["a"] }, "it")).toBe("it.a is missing");
  });

  it("messages stay short: long names are cut, and of many choices the first are listed", () => {
    const given: JsonSchema = { properties: { a: {} }, additionalProperties: false };
    expect(jsonSchemaProblem({ ["x".repeat(1000)]: 1 }, given, "it")).toBe(
      `it has an unknown field "${"x".repeat(50)}"; use one of a`,
    );
    const choices = Array.from({ length: 500 }, (_each, index) => index);
    expect(jsonSchemaProblem(-1, { enum: choices }, "it")).toMatch(/^it must be one of 0, 1, .*, 19, …$/);
  });
});
