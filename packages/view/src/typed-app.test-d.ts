/** Types that a view's compiler derives from its server's tools. */
import type { CallToolResult } from "@vitrine/protocol";
import { expectTypeOf } from "vitest";
import { App } from "./app.js";
import * as react from "./react.js";
import * as svelte from "./svelte.js";
import type { TypedApp } from "./typed-app.js";
import * as vue from "./vue.js";

interface Tools {
  forecast: { input: { city: string; days?: number }; partial: { city?: string }; result: { high: number } };
  refresh: { input: Record<string, never>; partial: Record<string, never>; result: { done: boolean } };
}

const app = new App({ name: "a", version: "1" }) as TypedApp<Tools, "forecast">;
app.ontoolinput = ({ arguments: input }) =>
  expectTypeOf(input).toEqualTypeOf<Tools["forecast"]["input"] | undefined>();
app.ontoolinputpartial = ({ arguments: input }) =>
  expectTypeOf(input).toEqualTypeOf<{ city?: string } | undefined>();
app.ontoolresult = ({ structuredContent }) =>
  expectTypeOf(structuredContent).toEqualTypeOf<{ high: number } | undefined>();
app.on("toolresult", ({ structuredContent }) =>
  expectTypeOf(structuredContent).toEqualTypeOf<{ high: number } | undefined>(),
);
app.on("toolcancelled", ({ reason }) => expectTypeOf(reason).toEqualTypeOf<string | undefined>());
const { structuredContent } = await app.callServerTool({ name: "refresh", arguments: {} });
expectTypeOf(structuredContent).toEqualTypeOf<{ done: boolean } | undefined>();
// @ts-expect-error: there is no such tool
app.callServerTool({ name: "other", arguments: {} });
// @ts-expect-error: the city is missing
app.callServerTool({ name: "forecast", arguments: {} });
// @ts-expect-error: a day is a number
app.callServerTool({ name: "forecast", arguments: { city: "Rome", days: "many" } });
// The rest is as in an untyped app.
await app.connect();
await app.sendMessage({ role: "user", content: [] });

// Framework hooks: typed with the tool's types, or untyped without them.
type Forecast = Tools["forecast"];
declare const plain: App;
/** A component of either framework. */
export function Hooks(): null {
  expectTypeOf(react.useToolInput<Forecast>).returns.toEqualTypeOf<Forecast["input"] | undefined>();
  expectTypeOf(react.useToolInputPartial<Forecast>).returns.toEqualTypeOf<Forecast["partial"] | undefined>();
  expectTypeOf(react.useToolResult<Forecast>(plain)?.structuredContent).toEqualTypeOf<
    { high: number } | undefined
  >();
  expectTypeOf(react.useToolInput(plain)).toEqualTypeOf<Record<string, unknown> | undefined>();
  expectTypeOf(react.useToolResult(plain)).toEqualTypeOf<CallToolResult | undefined>();
  const hooked = react.useServerTool<Forecast>(plain, "forecast");
  expectTypeOf(hooked.result?.structuredContent).toEqualTypeOf<{ high: number } | undefined>();
  void hooked.call({ city: "Rome" });
  // @ts-expect-error: the city is missing
  void hooked.call({ days: 3 });
  expectTypeOf(vue.useToolInput<Forecast>(plain).value).toEqualTypeOf<Forecast["input"] | undefined>();
  expectTypeOf(vue.useToolResult<Forecast>(plain).value?.structuredContent).toEqualTypeOf<
    { high: number } | undefined
  >();
  expectTypeOf(vue.useToolResult(plain).value).toEqualTypeOf<CallToolResult | undefined>();
  // @ts-expect-error: a day is a number
  void vue.useServerTool<Forecast>(plain, "forecast").call({ city: "Rome", days: "many" });
  return null;
}
svelte.toolInputPartial<Forecast>(plain).subscribe((input) => {
  expectTypeOf(input).toEqualTypeOf<Forecast["partial"] | undefined>();
});
svelte.serverTool<Forecast>(plain, "forecast").subscribe(({ result }) => {
  expectTypeOf(result?.structuredContent).toEqualTypeOf<{ high: number } | undefined>();
});
