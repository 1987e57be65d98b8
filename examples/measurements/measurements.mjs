// The stations' measurements; in a product, a database.
import { z } from "zod";

export const Measurement = z.object({
  city: z.string(),
  day: z.string(),
  temperature: z.number(),
  rain: z.number(),
});

const measurements = [
  { city: "Berne", day: "2026-03-01", temperature: 8, rain: 2 },
  { city: "Berne", day: "2026-03-02", temperature: 12, rain: 0 },
  { city: "Lisbon", day: "2026-03-01", temperature: 17, rain: 0 },
  { city: "Lisbon", day: "2026-03-02", temperature: 19, rain: 4 },
  { city: "Oslo", day: "2026-03-01", temperature: -3, rain: 1 },
  { city: "Oslo", day: "2026-03-02", temperature: 1, rain: 0 },
];

/** The days in a city, or in all of them, that were warm enough. */
export const find = ({ city, warmerThan = Number.NEGATIVE_INFINITY }) =>
  measurements.filter((each) => (!city || each.city === city) && each.temperature > warmerThan);

let readings = 0;
/** The last day of every city, and how many times it was requested. */
export const latest = () => ({
  reading: ++readings,
  items: measurements.filter(({ day }) => day === "2026-03-02"),
});
