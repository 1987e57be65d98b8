#!/usr/bin/env node
/** The weather demo over stdio. */
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { registerPage } from "./page.js";
import { describeForecast, forecastOf, forecastSchema, type Unit } from "./weather/forecast.js";
import { WEATHER_PAGE } from "./weather/page.js";

const server = new McpServer(
  { name: "weather", title: "Weather", version: "1.0.0" },
  { instructions: "Made-up weather for any city, to show what an MCP App is." },
);
const page = registerPage(server, WEATHER_PAGE);

const city = z
  .string()
  .trim()
  .min(1, "Name a city, for example Rome.")
  .max(60, "That is too long for a city's name.")
  .describe("Any city");
// Not the schema's own default: a model must choose a city, but a form may start with one.
const asked = city.meta({ default: "Lisbon" });
const days = z.number().int().min(1).max(7).default(5).describe("How many days, from today");
const unit = z.enum(["celsius", "fahrenheit"]).default("celsius").describe("What to show temperatures in");

function answer(city: string, days: number, unit: Unit) {
  const forecast = forecastOf(city, new Date(), days, unit);
  const content = [{ type: "text" as const, text: describeForecast(forecast) }];
  return { content, structuredContent: forecast };
}

const annotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };

server.registerTool(
  "forecast",
  {
    title: "Weather forecast",
    description: "Shows the weather of the next days in a city, in an app",
    inputSchema: z.object({ city: asked, days, unit }),
    outputSchema: forecastSchema,
    annotations,
    _meta: { ui: { resourceUri: page } },
  },
  (input) => answer(input.city, input.days, input.unit),
);

server.registerTool(
  "lookup",
  {
    title: "Look up another city",
    description: "The same for the app itself, when the person asks it for another city",
    inputSchema: z.object({ city, days, unit }),
    outputSchema: forecastSchema,
    annotations,
    // Hidden from the model, which has `forecast`.
    _meta: { ui: { visibility: ["app"] } },
  },
  (input) => answer(input.city, input.days, input.unit),
);

await server.connect(new StdioServerTransport());
