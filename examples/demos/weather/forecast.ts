/**
 * Invented weather, derived from the city's name and the day, so that it is the same for everyone.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { z } from "zod";

/** Weather conditions. */
export const SKIES = ["clear", "fair", "cloudy", "rain", "storm", "snow", "fog"] as const;

const daySchema = z.object({
  date: z.string().describe("YYYY-MM-DD"),
  sky: z.enum(SKIES),
  high: z.number().describe("°C"),
  low: z.number().describe("°C"),
  rain: z.number().int().describe("Chance of rain or snow, in percent"),
  wind: z.number().int().describe("km/h"),
  hours: z.array(z.number()).length(24).describe("Temperature of each hour, in °C"),
});

/** The tools' result. Temperatures are always °C; `unit` is for display. */
export const forecastSchema = z.object({
  city: z.string(),
  unit: z.enum(["celsius", "fahrenheit"]),
  days: z.array(daySchema),
});

export type Sky = (typeof SKIES)[number];
export type Forecast = z.infer<typeof forecastSchema>;
export type Day = Forecast["days"][number];
export type Unit = Forecast["unit"];

/** The annual mean and the summer difference in °C; negative south of the equator. */
const CLIMATES: Record<string, readonly [mean: number, swing: number]> = {
  amsterdam: [11, 7],
  athens: [19, 9],
  berlin: [10, 10],
  "buenos aires": [18, -7],
  cairo: [22, 8],
  "cape town": [17, -5],
  delhi: [25, 9],
  helsinki: [6, 12],
  lisbon: [18, 6],
  london: [12, 7],
  madrid: [15, 10],
  "mexico city": [17, 3],
  montreal: [7, 15],
  nairobi: [19, -2],
  "new york": [13, 12],
  oslo: [7, 11],
  paris: [12, 8],
  reykjavik: [5, 5],
  rome: [16, 9],
  "san francisco": [14, 3],
  singapore: [28, 1],
  sydney: [18, -6],
  tokyo: [16, 11],
  vienna: [11, 10],
  zurich: [10, 9],
};

/** A pseudo-random number from 0 to 1 that depends only on its arguments. */
function chance(...words: (string | number)[]): number {
  return createHash("sha256").update(words.join("\n")).digest().readUInt32BE(0) / 2 ** 32;
}

const DAY = 86_400_000;
const round = (value: number): number => Math.round(value * 10) / 10;

/** The forecast for a city, starting at a day. */
export function forecastOf(city: string, start: Date, count: number, unit: Unit): Forecast {
  const days = Array.from({ length: count }, (_, index) =>
    dayOf(city, new Date(start.getTime() + index * DAY)),
  );
  return { city, unit, days };
}

function dayOf(city: string, day: Date): Day {
  const key = city.toLowerCase();
  const date = day.toISOString().slice(0, 10);
  const [mean, swing] = CLIMATES[key] ?? [6 + chance(key) * 20, 2 + chance(key, "swing") * 10];
  const yearDay = (day.getTime() - Date.UTC(day.getUTCFullYear(), 0, 1)) / DAY;
  // The hottest time is the end of July.
  const season = mean + swing * Math.cos(((yearDay - 208) / 365) * 2 * Math.PI);
  const middle = season + (chance(key, date) - 0.5) * 7;
  const sky = skyOf(chance(key, date, "sky"), middle);
  const span = sky === "clear" ? 6 : sky === "fair" ? 5 : 3;
  const bumps = chance(key, date, "bumps") * 6;
  const hours = Array.from({ length: 24 }, (_, hour) =>
    // Coldest before sunrise, warmest in the afternoon.
    round(middle - span * Math.cos(((hour - 4) / 24) * 2 * Math.PI) + Math.sin(hour / 2 + bumps) * 0.6),
  );
  const wet = sky === "rain" || sky === "storm" || sky === "snow";
  return {
    date,
    sky,
    high: Math.max(...hours),
    low: Math.min(...hours),
    rain: Math.round((wet ? 60 : sky === "cloudy" ? 20 : 0) + chance(key, date, "rain") * (wet ? 38 : 18)),
    wind: Math.round(3 + chance(key, date, "wind") * (sky === "storm" ? 60 : 28)),
    hours,
  };
}

function skyOf(luck: number, middle: number): Sky {
  if (luck < 0.28) return "clear";
  if (luck < 0.52) return "fair";
  if (luck < 0.7) return "cloudy";
  if (luck < 0.78) return "fog";
  if (middle < 1) return "snow";
  return luck < 0.93 ? "rain" : "storm";
}

const WORDS: Record<Sky, string> = {
  clear: "clear",
  fair: "partly cloudy",
  cloudy: "cloudy",
  rain: "rain",
  storm: "thunderstorms",
  snow: "snow",
  fog: "fog",
};

/** The forecast as text, for a model or a host without apps. */
export function describeForecast({ city, unit, days }: Forecast): string {
  const degrees = (celsius: number): string =>
    unit === "fahrenheit" ? `${Math.round(celsius * 1.8 + 32)} °F` : `${Math.round(celsius)} °C`;
  const name = (date: string): string =>
    new Date(date).toLocaleDateString("en", {
      weekday: "long",
      day: "numeric",
      month: "long",
      timeZone: "UTC",
    });
  const lines = days.map(
    ({ date, sky, high, low, rain, wind }) =>
      `- ${name(date)}: ${WORDS[sky]}, ${degrees(low)} to ${degrees(high)}, ${rain} % chance of rain, wind ${wind} km/h`,
  );
  return `The weather in ${city} (made up, for demonstration):\n${lines.join("\n")}`;
}
