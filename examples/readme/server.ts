import { appServer, serve, tool, view } from "@vitrine/server";
import { z } from "zod";

const page = view({
  name: "forecast",
  title: "Forecast",
  folder: new URL("./view", import.meta.url),
});

export const forecast = tool({
  name: "forecast",
  description: "The weather of the next days in a city",
  input: z.object({ city: z.string(), days: z.number().int().min(1).max(7).default(3) }),
  output: z.object({ city: z.string(), days: z.array(z.object({ day: z.string(), high: z.number() })) }),
  annotations: { readOnlyHint: true },
  view: page,
  text: ({ city, days }) => `${city}: ${days.map(({ day, high }) => `${day} ${high}°`).join(", ")}`,
  run: ({ city, days }) => ({
    city,
    days: Array.from({ length: days }, (_, index) => ({ day: `Day ${index + 1}`, high: 20 + index })),
  }),
});

export const weather = appServer({ name: "weather", version: "1.0.0", tools: [forecast] });

await serve(weather);
