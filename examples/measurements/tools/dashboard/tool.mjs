import { tool, view } from "@vitrine/server";
import { z } from "zod";
import { latest, Measurement } from "../../measurements.mjs";
import { page } from "./page.mjs";

export default tool({
  name: "dashboard",
  description: "Shows the last measurements of all cities",
  output: z.object({ reading: z.number(), items: z.array(Measurement) }),
  annotations: { readOnlyHint: true },
  view: view({ name: "dashboard", title: "Dashboard", html: page, prefersBorder: true }),
  run: latest,
});
