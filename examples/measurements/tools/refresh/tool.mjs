import { tool } from "@vitrine/server";
import { z } from "zod";
import { latest, Measurement } from "../../measurements.mjs";

// Only the dashboard calls it; the model does not see it.
export default tool({
  name: "refresh",
  visibility: ["app"],
  output: z.object({ reading: z.number(), items: z.array(Measurement) }),
  annotations: { readOnlyHint: true },
  run: latest,
});
