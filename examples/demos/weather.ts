#!/usr/bin/env node
/** The weather demo. */
import { appServer, serve, tool, view } from "@vitrine/server";
import { z } from "zod";
import { describeForecast, forecastOf, forecastSchema } from "./weather/forecast.js";

const page = view({
  name: "forecast",
  title: "Weather",
  folder: new URL("./weather/view/", import.meta.url),
  prefersBorder: true,
  // Fixed: conversations that were stored with it show the app again.
  uri: "ui://weather/forecast.html",
});

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

const annotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };

const forecast = tool({
  name: "forecast",
  title: "Weather forecast",
  description: "Shows the weather of the next days in a city, in an app",
  input: z.object({ city: asked, days, unit }),
  output: forecastSchema,
  annotations,
  view: page,
  text: describeForecast,
  run: ({ city, days, unit }) => forecastOf(city, new Date(), days, unit),
});

const lookup = tool({
  name: "lookup",
  title: "Look up another city",
  description: "The same for the app itself, when the user asks it for another city",
  input: z.object({ city, days, unit }),
  output: forecastSchema,
  annotations,
  // Hidden from the model, which has `forecast`.
  visibility: ["app"],
  text: describeForecast,
  run: ({ city, days, unit }) => forecastOf(city, new Date(), days, unit),
});

const server = appServer({
  name: "weather",
  title: "Weather",
  version: "1.0.0",
  instructions: "Made-up weather for any city, to show what an MCP App is.",
  tools: [forecast, lookup],
});

await serve(server);
