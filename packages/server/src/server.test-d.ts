/** Inferred types: from schemas to functions, and from tools to their views. */
import { App, type TypedApp } from "@vitrine/view";
import { expectTypeOf } from "vitest";
import { z } from "zod";
import { discover } from "./discovery.js";
import { appServer, reply, type Template, type ToolsOf, tool, view } from "./index.js";
import { dataTable } from "./templates.js";

const forecast = tool({
  name: "forecast",
  input: z.object({ city: z.string(), days: z.number().default(5) }),
  output: z.object({ high: z.number(), list: z.array(z.object({ day: z.string() })) }),
  text: (data) => {
    expectTypeOf(data).toEqualTypeOf<{ high: number; list: { day: string }[] }>();
    return "";
  },
  run: (input, { ui }) => {
    expectTypeOf(input).toEqualTypeOf<{ city: string; days: number }>();
    expectTypeOf(ui).toEqualTypeOf<"yes" | "no" | "unknown">();
    return { high: 1, list: [] };
  },
});
const plain = tool({ name: "plain", run: () => "text" });
type Tools = ToolsOf<[typeof forecast, typeof plain]>;
expectTypeOf<keyof Tools>().toEqualTypeOf<"forecast" | "plain">();
expectTypeOf<Tools["forecast"]["input"]>().toEqualTypeOf<{ city: string; days?: number | undefined }>();
expectTypeOf<Tools["forecast"]["result"]["list"]>().toEqualTypeOf<{ day: string }[]>();
expectTypeOf<Tools["forecast"]["partial"]>().toEqualTypeOf<{
  city?: string | undefined;
  days?: number | undefined;
}>();

// While the model writes, anything may be missing: in nested records, and in the last record of a list.
const plan = tool({
  name: "plan",
  input: z.object({
    trip: z.object({
      from: z.string(),
      stops: z.array(z.object({ city: z.string(), at: z.object({ day: z.number() }) })),
      tags: z.array(z.string()),
      prices: z.record(z.string(), z.object({ euros: z.number() })),
    }),
    by: z.union([z.object({ train: z.string() }), z.literal("foot")]),
  }),
  run: () => "planned",
});
type PartialPlan = ToolsOf<[typeof plan]>["plan"]["partial"];
expectTypeOf<PartialPlan>().toEqualTypeOf<{
  trip?:
    | {
        from?: string | undefined;
        stops?: { city?: string | undefined; at?: { day?: number | undefined } | undefined }[] | undefined;
        tags?: string[] | undefined;
        prices?: { [name: string]: { euros?: number | undefined } | undefined } | undefined;
      }
    | undefined;
  by?: { train?: string | undefined } | "foot" | undefined;
}>();

// From the tools to the app of their view.
const app = new App({ name: "x", version: "1" }) as TypedApp<
  ToolsOf<[typeof forecast, typeof plan]>,
  "forecast"
>;
app.ontoolinput = ({ arguments: input }) =>
  expectTypeOf(input).toEqualTypeOf<{ city: string; days?: number | undefined } | undefined>();
app.ontoolinputpartial = ({ arguments: input }) =>
  expectTypeOf(input).toEqualTypeOf<{ city?: string | undefined; days?: number | undefined } | undefined>();
app.ontoolresult = ({ structuredContent }) =>
  expectTypeOf(structuredContent).toEqualTypeOf<{ high: number; list: { day: string }[] } | undefined>();
const { structuredContent } = await app.callServerTool({ name: "forecast", arguments: { city: "Rome" } });
expectTypeOf(structuredContent).toEqualTypeOf<{ high: number; list: { day: string }[] } | undefined>();
// @ts-expect-error: days are a number
app.callServerTool({ name: "forecast", arguments: { city: "Rome", days: "two" } });
// @ts-expect-error: this server has no such tool
app.callServerTool({ name: "plain", arguments: {} });

const output = z.object({ count: z.number() });
tool({ name: "reply", output, run: () => reply({ count: 1 }, { text: "one" }) });
tool({ name: "later", output, run: async () => ({ count: 1 }) });
// @ts-expect-error: the schema wants a number
tool({ name: "wrong", output, run: () => ({ count: "many" }) });
// @ts-expect-error: something is missing
tool({ name: "missing", output, run: () => ({}) });
// @ts-expect-error: nothing is given back
tool({ name: "nothing", output, run: () => undefined });
// @ts-expect-error: without a schema there is only text
tool({ name: "data", run: () => ({ count: 1 }) });

appServer({ name: "x", version: "1", tools: [forecast, plain] });
// @ts-expect-error: no version
appServer({ name: "x", tools: [] });

view({ name: "a", html: "" });
view({ name: "b", template: dataTable, config: { pageSize: 5 } });
// @ts-expect-error: no document
view({ name: "c" });
// @ts-expect-error: the template has no such setting
view({ name: "d", template: dataTable, config: { pages: 5 } });

interface RatingConfig {
  readonly title?: string;
  readonly stars: number;
}
const rating: Template<RatingConfig> = {
  name: "rating",
  title: "Rating",
  schema: { type: "object" },
  script: "",
  style: "",
  text: (data, config) => {
    expectTypeOf(data).toEqualTypeOf<unknown>();
    expectTypeOf(config).toEqualTypeOf<RatingConfig>();
    return "";
  },
};
view({ name: "e", template: rating, config: { stars: 5 } });
discover({ root: ".", name: "x", version: "1", templates: [rating, dataTable] });
// @ts-expect-error: stars are a number
view({ name: "f", template: rating, config: { stars: "5" } });
// @ts-expect-error: the template has no such setting
view({ name: "g", template: rating, config: { stars: 5, colour: "red" } });
// @ts-expect-error: how many stars there are is missing
view({ name: "h", template: rating, config: { title: "Rate it" } });
// @ts-expect-error: it cannot be left out where something of it is needed
view({ name: "i", template: rating });
view({ name: "j", template: dataTable });
// @ts-expect-error: its functions say nothing of colours
const _other: Template<{ colour: string }> = rating;
