/** The schema of tool.json: editors and the server use the same. */

import { toolJsonSchema } from "@vitrine/server/discovery";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, it } from "vitest";

it("matches the file in the package: `npx vitest run -u` writes it", async () => {
  const text = `${JSON.stringify(toolJsonSchema, null, 2)}\n`;
  await expect(text).toMatchFileSnapshot("../../tool.schema.json");
});

const accepts = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(toolJsonSchema);

it.each([
  { result: "hello" },
  {
    $schema: "x",
    name: "a",
    title: "A",
    description: "a",
    handler: "./run.js",
    inputSchema: { type: "object" },
  },
  {
    result: { items: [] },
    annotations: { readOnlyHint: true },
    icons: [{ src: "data:," }],
    _meta: { ui: {} },
  },
])("takes %j", (value) => {
  expect(accepts(value)).toBe(true);
});

it.each([
  [],
  { results: [] },
  { description: "" },
  { inputSchema: {} },
  { annotations: { readonly: true } },
  { icons: [{}] },
  { result: 7 },
])("refuses %j", (value) => {
  expect(accepts(value)).toBe(false);
});
