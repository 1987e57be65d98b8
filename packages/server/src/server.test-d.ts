/** What the compiler knows: from schemas to functions, and from tools to their views. */
import { expectTypeOf } from "vitest";
import { z } from "zod";
import { appServer, dataTable, reply, type ToolsOf, tool, view } from "./index.js";

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
