/** The schema of ui.meta.json: editors and the server use the same. */
import { fromJsonSchema } from "@modelcontextprotocol/server";
import { uiMetaSchema } from "@vitrine/server/discovery";
import { TEMPLATES } from "@vitrine/server/templates";
import { expect, it } from "vitest";
import { JsonFile } from "./read-json.js";
import { readUiMeta } from "./ui-meta.js";

it("matches the file in the package: `npx vitest run -u` writes it", async () => {
  const text = `${JSON.stringify(uiMetaSchema(TEMPLATES), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot("../../ui.meta.schema.json");
});

it("has the fields, their defaults, and the configuration of each template", () => {
  expect(uiMetaSchema(TEMPLATES)).toMatchObject({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    additionalProperties: false,
    properties: {
      $schema: { type: "string" },
      name: { type: "string" },
      description: { type: "string" },
      template: { enum: Object.keys(TEMPLATES).sort() },
      config: { type: "object" },
      entrypoint: { default: "index.html" },
      meta: {
        additionalProperties: false,
        properties: {
          csp: { additionalProperties: false },
          permissions: { additionalProperties: false },
          prefersBorder: { default: true },
          domain: { type: "string" },
        },
      },
    },
  });
});

const https = "https://api.example.com";
const right: object[] = [
  {},
  { $schema: "x", name: "a", description: "b", entrypoint: "c.html", meta: {} },
  { template: "data-table" },
  { template: "data-table", config: { columns: [{ key: "a", sortable: false }] } },
  {
    meta: {
      csp: { connectDomains: [https, "wss://a.com", "http://localhost:3000"], resourceDomains: [https] },
    },
  },
  { meta: { csp: { frameDomains: [], baseUriDomains: [https] }, prefersBorder: false, domain: "a.com" } },
  { meta: { permissions: { camera: {}, microphone: {}, geolocation: {}, clipboardWrite: {} } } },
];
const wrong: unknown[] = [
  [],
  "x",
  { name: 1 },
  { name: "" },
  { entrypoint: "" },
  { uri: "ui://x" },
  { config: {} },
  { template: "none" },
  { template: "__proto__" },
  { template: "data-table", config: [] },
  { template: "data-table", config: { columns: [{}] } },
  { template: "data-table", config: { rows: 1 } },
  { meta: { csp: { connectDomains: "x" } } },
  { meta: { csp: { connectDomains: ["http://a.com"] } } },
  { meta: { csp: { connectDomains: ["http://localhost.evil.com"] } } },
  { meta: { csp: { resourceDomains: ["wss://a.com"] } } },
  { meta: { csp: { scriptDomains: [] } } },
  { meta: { permissions: { camera: true } } },
  { meta: { permissions: { bluetooth: {} } } },
  { meta: { prefersBorder: "false" } },
  { meta: { sandboxDomain: "a.com" } },
];

const schema = fromJsonSchema(uiMetaSchema(TEMPLATES) as never)["~standard"];
it.each([...right.map((value) => [true, value]), ...wrong.map((value) => [false, value])])(
  "editors and the server agree: %s for %j",
  async (expected, value) => {
    const { issues } = await schema.validate(value);
    expect(issues === undefined, JSON.stringify(issues)).toBe(expected);
    const read = (): unknown => readUiMeta(new JsonFile("ui.meta.json", JSON.stringify(value)), TEMPLATES);
    if (expected) expect(read()).toEqual(value);
    else expect(read).toThrow(expect.objectContaining({ file: "ui.meta.json" }));
  },
);
