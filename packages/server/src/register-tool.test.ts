/** What the official SDK gets to see of a tool's schemas. */
import { appServer, type Schema, tool } from "@vitrine/server";
import { testServer } from "@vitrine/server/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";

/** A schema that says how often it was made into JSON Schema. */
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
  it("are made into JSON Schema once, whoever asks for the tools and however often", async () => {
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

  it("check what a tool gave once: what a schema made of it need not fit the schema again", async () => {
    const output = z.object({ high: z.string().transform(Number).pipe(z.number()) });
    const high = tool({ name: "high", output, run: () => ({ high: "21" }) });
    const tested = await testServer(appServer({ name: "weather", version: "1.0.0", tools: [high] }));
    const { structuredContent, isError } = await tested.call("high", {});
    expect(isError).not.toBe(true);
    expect(structuredContent).toEqual({ high: 21 });
    await tested.close();
  });
});
