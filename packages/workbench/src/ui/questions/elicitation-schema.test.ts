import { expect, it } from "vitest";
import { checkValue } from "../form/check-value.js";
import { elicitationSchema } from "./elicitation-schema.js";

it("keeps schemas that a form understands already", () => {
  const schema = {
    type: "object",
    properties: {
      name: { type: "string", minLength: 2 },
      size: { type: "string", oneOf: [{ const: "s", title: "Small" }] },
    },
    required: ["name"],
  };
  expect(elicitationSchema(schema)).toEqual(schema);
  expect(checkValue(elicitationSchema(schema), { size: "s" })).toMatchObject([{ path: ["name"] }]);
});

it("names beside values become names of choices", () => {
  const size = { type: "string", title: "Size", enum: ["s", "l"], enumNames: ["Small"] };
  const { properties } = elicitationSchema({ type: "object", properties: { size } });
  const oneOf = [
    { const: "s", title: "Small" },
    { const: "l", title: "l" },
  ];
  expect(properties).toEqual({ size: { type: "string", title: "Size", oneOf } });
});

it("of a list of choices each can be chosen once", () => {
  const extras = { type: "array", items: { type: "string", enum: ["a", "b"] } };
  const colours = { type: "array", items: { anyOf: [{ const: "r", title: "Red" }] } };
  const schema = elicitationSchema({ type: "object", properties: { extras, colours } });
  expect(schema.properties).toMatchObject({ extras: { uniqueItems: true }, colours: { uniqueItems: true } });
});

it("an invalid schema asks for nothing", () => {
  for (const asked of [undefined, null, 3, "x", []])
    expect(elicitationSchema(asked), `${asked}`).toMatchObject({ type: "object", properties: {} });
});
