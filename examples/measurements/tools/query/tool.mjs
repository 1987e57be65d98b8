import { tool } from "@vitrine/server";
import { z } from "zod";
import { find, Measurement } from "../../measurements.mjs";

export default tool({
  name: "query",
  description: "Execute queries with visual results",
  input: z.object({
    city: z.string().optional().describe("All cities without it"),
    warmerThan: z.number().optional().describe("Degrees Celsius"),
  }),
  output: z.object({ items: z.array(Measurement) }),
  annotations: { readOnlyHint: true },
  // Uses the view in ui/query-results instead of one in its own folder.
  meta: { ui: { resourceUri: "ui://weather-server/query-results", visibility: ["model", "app"] } },
  run: (input) => ({ items: find(input) }),
});
