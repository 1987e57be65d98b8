/** A tool's schemas, as the official SDK sees them. */
import { type AnyTool, appServer, PROBLEMS_KEY, type Schema, tool } from "@vitrine/server";
import { testServer } from "@vitrine/server/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";

/** A schema that counts its conversions to JSON Schema. */
function counted(schema: Schema): { schema: Schema; conversions: () => number } {
  let count = 0;
  const standard = schema["~standard"];
  const { input, output } = standard.jsonSchema;
  const jsonSchema: typeof standard.jsonSchema = {
    input: (options) => {
      count++;
      return input(options);
    },
    output: (options) => {
      count++;
      return output(options);
    },
  };
  return { schema: { "~standard": { ...standard, jsonSchema } }, conversions: () => count };
}

describe("a tool's schemas", () => {
  it("are converted to JSON Schema once, however often the tools are listed", async () => {
    const input = counted(z.object({ city: z.string() }));
    const output = counted(z.object({ high: z.number() }));
    const forecast = tool({
      name: "forecast",
      input: input.schema,
      output: output.schema,
      run: () => ({ high: 21 }),
    });
    const server = appServer({ name: "weather", version: "1.0.0", tools: [forecast] });
    for (let client = 0; client < 2; client++) {
      const tested = await testServer(server);
      for (let n = 0; n < 3; n++) {
        const [listed] = await tested.tools();
        expect(listed?.inputSchema).toMatchObject({ properties: { city: { type: "string" } } });
        expect(listed?.outputSchema).toMatchObject({ properties: { high: { type: "number" } } });
      }
      await tested.close();
    }
    expect([input.conversions(), output.conversions()]).toEqual([1, 1]);
  });

  it("check a tool's result once: a schema's output need not match the schema again", async () => {
    const output = z.object({ high: z.string().transform(Number).pipe(z.number()) });
    const high = tool({ name: "high", output, run: () => ({ high: "21" }) });
    const tested = await testServer(appServer({ name: "weather", version: "1.0.0", tools: [high] }));
    const { structuredContent, isError } = await tested.call("high", {});
    expect(isError).not.toBe(true);
    expect(structuredContent).toEqual({ high: 21 });
    await tested.close();
  });
});

/** A hand-written schema, as any library could create it: a city, with a capital letter. */
const cityOf = (type: "input" | "output") => {
  const json = () => ({
    type: "object",
    properties: { city: { type: "string", description: type } },
    required: ["city"],
  });
  const validate = (value: unknown) => {
    const { city } = Object(value);
    if (typeof city !== "string") return { issues: [{ message: "Name a city.", path: [{ key: "city" }] }] };
    return { value: { city: city.charAt(0).toUpperCase() + city.slice(1) } };
  };
  return {
    "~standard": {
      version: 1 as const,
      vendor: "by-hand",
      validate,
      jsonSchema: { input: json, output: json },
    },
  };
};

describe("a schema of an unknown library", () => {
  it("checks input and output, reports problems by field, and is shown to clients", async () => {
    const given: unknown[] = [];
    const [input, output]: Schema[] = [cityOf("input"), cityOf("output")];
    const find = tool({
      name: "find",
      input,
      output,
      run: (value) => {
        given.push(value);
        const { city } = value as { city: string };
        return city === "Nowhere" ? {} : { city: city.toLowerCase() };
      },
    });
    const tested = await testServer(appServer({ name: "x", version: "1", tools: [find] }));
    const call = (args: object) => tested.request("tools/call", { name: "find", arguments: args });
    const [listed] = await tested.tools();
    expect(listed?.inputSchema).toMatchObject({ properties: { city: { description: "input" } } });
    expect(listed?.outputSchema).toMatchObject({ properties: { city: { description: "output" } } });
    expect(await call({ city: "berne" })).toMatchObject({ structuredContent: { city: "Berne" } });
    expect(await call({})).toMatchObject({
      isError: true,
      content: [{ text: "The input is wrong. city: Name a city." }],
      _meta: { "vitrine/code": "input-invalid", [PROBLEMS_KEY]: { city: "Name a city." } },
    });
    expect(await call({ city: "nowhere" })).toMatchObject({
      isError: true,
      _meta: { "vitrine/code": "result-invalid" },
    });
    expect(given).toEqual([{ city: "Berne" }, { city: "Nowhere" }]);
    await tested.close();
  });

  it("is refused if JSON Schema cannot express it: one tool would break the whole list", () => {
    const wrong = (schemas: Pick<AnyTool, "input" | "output">) => () =>
      appServer({ name: "x", version: "1", tools: [{ name: "find", run: () => "", ...schemas }] });
    const refused = (message: string) => expect.objectContaining({ code: "tool-invalid", message });
    expect(wrong({ output: z.object({ day: z.date() }) })).toThrow(
      refused("the tool find: output cannot be shown to clients: Date cannot be represented in JSON Schema"),
    );
    expect(wrong({ input: z.array(z.string()) })).toThrow(
      refused('the tool find: input must be an object, not "array"'),
    );
    expect(wrong({ input: z.object({}), output: z.array(z.string()) })).not.toThrow();
  });

  it("is refused at its definition if it has no JSON Schema, with a solution", () => {
    const { jsonSchema: _none, ...standard } = cityOf("input")["~standard"];
    const bare = { "~standard": standard } as never;
    const refused = (field: string, message: RegExp) =>
      expect.objectContaining({
        code: "tool-invalid",
        message: expect.stringMatching(new RegExp(`^the tool find: ${field} ${message.source}`)),
      });
    const what = /cannot be shown to clients: .*Zod 4\.2 or later, ArkType, Valibot with .*fromJsonSchema/;
    expect(() => tool({ name: "find", input: bare, run: () => "" })).toThrow(refused("input", what));
    expect(() => tool({ name: "find", output: bare, run: () => "" as never })).toThrow(
      refused("output", what),
    );
    const none = /must be a schema of Zod/;
    expect(() => tool({ name: "find", input: { type: "object" } as never, run: () => "" })).toThrow(
      refused("input", none),
    );
    // Not created by tool().
    const plain: AnyTool = { name: "find", input: bare, run: () => "" };
    expect(() => appServer({ name: "x", version: "1", tools: [plain] })).toThrow(refused("input", what));
  });
});
