/** Tools with schemas of any library that implements the standard. */
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { appServer, tool } from "@vitrine/server";
import { testServer } from "@vitrine/server/testing";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";

const forecast = { name: "forecast", description: "The weather of a few days" };
const run = ({ city, days }: { city: string; days: number }) => ({
  // As an unchecked function may return it.
  city: city === "Nowhere" ? (undefined as never) : city,
  high: days * 10,
});
const servers = {
  Zod: tool({
    ...forecast,
    input: z.object({ city: z.string(), days: z.number().max(7) }),
    output: z.object({ city: z.string(), high: z.number() }),
    run: (input) => run(input),
  }),
  Valibot: tool({
    ...forecast,
    input: toStandardJsonSchema(v.object({ city: v.string(), days: v.pipe(v.number(), v.maxValue(7)) })),
    output: toStandardJsonSchema(v.object({ city: v.string(), high: v.number() })),
    run: (input) => {
      expectTypeOf(input).toEqualTypeOf<{ city: string; days: number }>();
      return run(input);
    },
  }),
  ArkType: tool({
    ...forecast,
    input: type({ city: "string", days: "number <= 7" }),
    output: type({ city: "string", high: "number" }),
    run: (input) => {
      expectTypeOf(input).toEqualTypeOf<{ city: string; days: number }>();
      return run(input);
    },
  }),
};

describe.each(Object.entries(servers))("%s", (_library, defined) => {
  const connect = () => testServer(appServer({ name: "weather", version: "1.0.0", tools: [defined] }));

  it("defines a tool's input and output, and both are checked", async () => {
    const server = await connect();
    const [listed] = await server.tools();
    expect(listed?.inputSchema).toMatchObject({
      type: "object",
      properties: { city: { type: "string" }, days: { type: "number", maximum: 7 } },
      required: ["city", "days"],
    });
    expect(listed?.outputSchema).toMatchObject({ properties: { high: { type: "number" } } });
    const { structuredContent } = await server.call("forecast", { city: "Rome", days: 3 });
    expect(structuredContent).toEqual({ city: "Rome", high: 30 });
    const wrong = await server.call("forecast", { city: "Rome", days: 8 });
    expect(wrong).toMatchObject({ isError: true });
    expect(JSON.stringify(wrong)).toContain("days");
    const broken = await server.call("forecast", { city: "Nowhere", days: 1 });
    expect(broken).toMatchObject({ isError: true });
    expect(JSON.stringify(broken)).toMatch(/output schema: city/);
    await server.close();
  });
});
