import { appServer, serve, tool, view } from "@vitrine/server";
import { detail } from "@vitrine/server/templates";
import { z } from "zod";

const forecast = tool({
  name: "forecast",
  input: z.object({ city: z.string() }),
  output: z.object({ city: z.string(), high: z.number() }),
  view: view({ name: "forecast", template: detail, config: { title: "Forecast" } }),
  run: ({ city }) => ({ city, high: 21 }),
});
await serve(appServer({ name: "weather", version: "1.0.0", tools: [forecast] }));
