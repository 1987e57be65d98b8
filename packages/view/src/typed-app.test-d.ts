/** What a view's compiler knows of its server's tools. */
import { expectTypeOf } from "vitest";
import { App } from "./app.js";
import type { TypedApp } from "./typed-app.js";

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
// The rest is as in every app.
await app.connect();
await app.sendMessage({ role: "user", content: [] });
