import { useApp, useToolInput, useToolResult } from "./react.js";

//#region useApp
export function Weather() {
  const { app, error } = useApp({ appInfo: { name: "weather", version: "1.0.0" } });
  const [input, result] = [useToolInput(app), useToolResult(app)];
  if (error) return <p role="alert">{error.message}</p>;
  return <p>{result ? JSON.stringify(result.structuredContent) : `Looking at ${input?.city ?? "…"}`}</p>;
}
//#endregion useApp
