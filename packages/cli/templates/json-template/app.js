import { appServer, tool, view } from "@vitrine/server";
import { dataTable } from "@vitrine/server/templates";
import { z } from "zod";

const PLANETS = [
  { name: "Mercury", diameter: 4879, moons: 0 },
  { name: "Venus", diameter: 12104, moons: 0 },
  { name: "Earth", diameter: 12756, moons: 1 },
  { name: "Mars", diameter: 6792, moons: 2 },
];

// A ready-made page, configured for this data: no HTML.
const table = view({
  name: "planets",
  title: "Planets",
  template: dataTable,
  config: {
    title: "Planets",
    columns: [
      { key: "name", label: "Planet", sortable: true },
      { key: "diameter", label: "Diameter in km", type: "number", sortable: true },
      { key: "moons", label: "Moons", type: "number", sortable: true },
    ],
  },
});

export const planets = tool({
  name: "planets",
  description: "The inner planets, or those of them with moons",
  input: z.object({ withMoons: z.boolean().default(false) }),
  output: z.object({
    items: z.array(z.object({ name: z.string(), diameter: z.number(), moons: z.number() })),
  }),
  annotations: { readOnlyHint: true },
  view: table,
  run: ({ withMoons }) => ({ items: PLANETS.filter(({ moons }) => !withMoons || moons > 0) }),
});

export const app = appServer({ name: "my-app", version: "1.0.0", tools: [planets] });
