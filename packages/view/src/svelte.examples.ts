import { createApp, serverTool, toolInput, toolResult } from "@vitrine/view/svelte";

/** Script of a component; its markup reads `$input`, `$result`, `$forecast.isPending` and `$error`. */
export function weather() {
  //#region createApp
  const { app, error } = createApp({ appInfo: { name: "weather", version: "1.0.0" } });
  const input = toolInput(app);
  const result = toolResult(app);
  const forecast = serverTool(app, "forecast");
  const tomorrow = () => forecast.call({ days: 1 });
  // <h1>{$input?.city}</h1>
  // <p>{$error?.message ?? $result?.structuredContent?.temperature}</p>
  // <button onclick={tomorrow} disabled={$forecast.isPending}>Tomorrow</button>
  //#endregion createApp
  return { error, input, result, forecast, tomorrow };
}
