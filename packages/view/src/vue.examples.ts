import { useApp, useServerTool, useToolResult } from "@vitrine/view/vue";
import { defineComponent, h } from "vue";

//#region useApp
export const Weather = defineComponent(() => {
  const { app, error } = useApp({ appInfo: { name: "weather", version: "1.0.0" } });
  const result = useToolResult(app);
  const forecast = useServerTool(app, "forecast");
  return () => {
    if (error.value) return h("p", { role: "alert" }, error.value.message);
    const shown = JSON.stringify((forecast.result.value ?? result.value)?.structuredContent);
    return h("button", { onClick: () => forecast.call({ days: 1 }) }, shown ?? "Loading");
  };
});
//#endregion useApp
