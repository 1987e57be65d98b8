import { appServer, tool, view } from "@vitrine/server";
import { type FormConfig, form, renderTemplate } from "@vitrine/server/templates";
import { testServer } from "@vitrine/server/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { fieldsOf } from "./fields-of-schema.js";

const FIELDS: FormConfig["fields"] = [
  { name: "name", label: "Your name", required: true },
  { name: "plan", type: "select", options: ["basic", { value: "pro", label: "Pro" }], default: "basic" },
  { name: "key", type: "password", default: "secret" },
  { name: "news", type: "checkbox", description: "Once a week." },
];

describe("the form as text", () => {
  it.each([undefined, {}])("asks its questions: %j", (data) => {
    expect(form.text?.(data, { title: "Join", description: "It is free.", fields: FIELDS })).toBe(
      "Join\n\nIt is free.\n\n- Your name (required)\n- plan (one of basic, Pro): basic\n- key\n- news – Once a week.",
    );
  });

  it("asks for the tool's own input if it has no fields", async () => {
    const input = z.object({
      guests: z.number().int().describe("How many come?"),
      room: z.enum(["inside", "garden"]).default("inside"),
      tags: z.array(z.string()).optional(),
    });
    const book = tool({
      name: "book",
      input,
      view: view({ name: "book", template: form, config: { title: "Book" } }),
      run: () => undefined,
    });
    const server = await testServer(appServer({ name: "x", version: "1", tools: [book] }), { views: false });
    const { content } = await server.call("book", { guests: 2 });
    await server.close();
    expect(content).toEqual([
      {
        type: "text",
        text: "Book\n\n- Guests (required) – How many come?\n- Room (one of inside, garden): inside\n- Tags",
      },
    ]);
  });

  it("has the known answers, including false", () => {
    const text = form.text?.({ name: "Ada", news: false }, { fields: FIELDS });
    expect(text).toContain("- Your name (required): Ada\n");
    expect(text).toMatch(/Once a week\.: false$/);
  });

  it.each([
    [{ name: "Ada", booked: true }, "- name: Ada\n- booked: true"],
    ["Booked.", "Booked."],
    [["a"], "- a"],
  ])("shows the tool's data: %j", (data, text) => {
    expect(form.text?.(data, { fields: FIELDS })).toBe(text);
  });
});

describe("the form's document", () => {
  it("has 20,000 bytes at most", () => {
    expect(renderTemplate(form, { title: "Join", fields: FIELDS }).length).toBeLessThanOrEqual(20_000);
  });

  it.each([
    [{ fields: [{ label: "x" }] }, "config.fields[0].name is missing"],
    [
      { fields: [{ name: "a", requierd: true }] },
      'config.fields[0] has an unknown field "requierd" (did you mean required?)',
    ],
    [{ cancelable: "no" }, "config.cancelable must be true or false"],
  ])("is refused for %j", (config, message) => {
    expect(() => renderTemplate(form, config as never)).toThrow(`form: ${message}`);
  });
});

describe("fields of a schema", () => {
  const one = (schema: object, required: string[] = []) =>
    fieldsOf({ properties: { theName: schema }, required })[0];

  it.each([
    [{ type: "string" }, { type: "text", label: "The name", required: false }],
    [
      { type: "string", title: "T", description: "D", default: "x" },
      { label: "T", description: "D", default: "x" },
    ],
    [{ type: "string", format: "email" }, { type: "email" }],
    [{ type: "string", format: "date" }, { type: "date" }],
    [{ type: "string", format: "uri" }, { type: "text" }],
    [{ type: "string", maxLength: 500 }, { type: "textarea" }],
    [
      { type: "integer", minimum: 1, maximum: 9 },
      { type: "number", isWhole: true, minimum: 1, maximum: 9 },
    ],
    [{ type: "integer", exclusiveMinimum: 0 }, { minimum: 1 }],
    [
      { type: "number", exclusiveMinimum: 0 },
      { isWhole: false, minimum: undefined },
    ],
    [{ type: "boolean" }, { type: "checkbox" }],
    [{ enum: ["a", 2, null] }, { type: "select", options: ["a", 2] }],
    [
      { oneOf: [{ const: "a", title: "A" }, { const: 2 }] },
      {
        type: "select",
        options: [
          { value: "a", label: "A" },
          { value: 2, label: "2" },
        ],
      },
    ],
    [{ anyOf: [{ type: "integer" }, { type: "null" }] }, { type: "number" }],
    [{ type: ["null", "boolean"] }, { type: "checkbox" }],
    [{ type: "array", items: { type: "string" } }, { type: "lines" }],
    [{ type: "array", items: { type: "number" } }, { type: "json" }],
    [{ type: "object" }, { type: "json" }],
    [{}, { type: "json" }],
  ])("%j", (schema, field) => {
    expect(one(schema)).toMatchObject({ name: "theName", ...field });
  });

  it("are required if the schema says so, except checkboxes and those with a default", () => {
    expect(one({ type: "string" }, ["theName"])?.required).toBe(true);
    expect(one({ type: "boolean" }, ["theName"])?.required).toBe(false);
    expect(one({ type: "string", default: "" }, ["theName"])?.required).toBe(false);
    expect(fieldsOf(undefined)).toEqual([]);
  });
});
