import { createSchemaUtils, type RJSFSchema } from "@rjsf/utils";
import { describe, expect, it } from "vitest";
import { checkValue } from "./check-value.js";
import { validator } from "./validator.js";

const POINT = { type: "object", required: ["x"], properties: { x: { type: "number" } } };
const SHAPES: RJSFSchema[] = [
  {
    type: "object",
    required: ["kind", "side"],
    properties: { kind: { const: "square" }, side: { type: "number" } },
  },
  {
    type: "object",
    required: ["kind"],
    properties: { kind: { const: "circle" }, radius: { type: "number" } },
  },
];
const SCHEMA: RJSFSchema = {
  type: "object",
  required: ["name"],
  additionalProperties: false,
  properties: {
    name: { type: "string", minLength: 2 },
    count: { type: ["integer", "null"], minimum: 1 },
    "dotted.name": { type: "string" },
    points: { type: "array", items: { $ref: "#/$defs/point" } },
    shape: {
      oneOf: SHAPES,
    },
    label: { anyOf: [{ type: "string" }, { type: "null" }] },
  },
  $defs: { point: POINT },
} as RJSFSchema;

const wrong = (value: unknown): string[] =>
  checkValue(SCHEMA, value).map(({ path, message }) => `${path.join("/")}: ${message}`);

describe("errors of a value", () => {
  it("is nothing, if it fits", () => {
    expect(
      wrong({ name: "Ana", count: null, points: [{ x: 1 }], shape: { kind: "circle" }, label: null }),
    ).toEqual([]);
  });

  it("are shown once, at the field, and not at its parents", () => {
    expect(wrong({ count: 0, points: [{ x: 1 }, { x: "1" }, {}], other: 1 })).toEqual([
      "name: This is required.",
      "count: 0 is less than 1.",
      "points/1/x: This must be of type number.",
      "points/2/x: This is required.",
      "other: The tool has no such property.",
    ]);
  });

  it("are, in a union, those of the intended type", () => {
    expect(wrong({ name: "Ana", shape: { kind: "square" } })).toEqual(["shape/side: This is required."]);
    expect(wrong({ name: "Ana", label: 1 })).toEqual([
      "label: This matches none of the types that the tool accepts, or more than one.",
    ]);
  });

  it("is for the form a tree, in which a name with a dot is one name", () => {
    const { errorSchema } = validator.validateFormData({ name: "A", "dotted.name": 1 }, SCHEMA);
    expect(errorSchema).toEqual({
      name: { __errors: ["String is too short (1 < 2)."] },
      "dotted.name": { __errors: ["This must be of type string."] },
    });
  });

  it("is the schema, if that leads nowhere", () => {
    const lost: RJSFSchema = { type: "object", properties: { a: { $ref: "#/$defs/nothing" } } };
    expect(checkValue(lost, { a: 1 })).toMatchObject([{ keyword: "schema" }]);
  });

  it("leaves the schema as it was", () => {
    expect(JSON.stringify(SCHEMA)).not.toContain("__absolute");
  });
});

describe("the form's choice of a kind", () => {
  it("follows references from a part of the schema into the whole", () => {
    const part = { $ref: "#/$defs/point" };
    expect(validator.isValid(part, { x: 1 }, SCHEMA)).toBe(true);
    expect(validator.isValid(part, { x: "1" }, SCHEMA)).toBe(false);
    expect(validator.isValid(part, undefined, SCHEMA)).toBe(false);
  });

  it("is the kind that the value has", () => {
    const utils = createSchemaUtils(validator, SCHEMA);
    expect(utils.getClosestMatchingOption({ kind: "circle" }, SHAPES, 0)).toBe(1);
  });
});
