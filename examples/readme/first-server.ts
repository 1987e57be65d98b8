import { appServer, serve, tool, view } from "@vitrine/server";
import { z } from "zod";

const forecast = tool({
  name: "forecast",
  input: z.object({ city: z.string() }),
  output: z.object({ city: z.string(), high: z.number() }),
  view: view({ name: "forecast", file: new URL("./forecast.html", import.meta.url) }),
  run: ({ city }) => ({ city, high: 21 }),
});
await serve(appServer({ name: "weather", version: "1.0.0", tools: [forecast] }));
