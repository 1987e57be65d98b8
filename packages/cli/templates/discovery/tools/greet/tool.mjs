import { tool } from "@vitrine/server";
import { z } from "zod";

export default tool({
  name: "greet",
  description: "Greets somebody by name",
  input: z.object({ name: z.string().min(1, "Whom?") }),
  output: z.object({ greeting: z.string() }),
  annotations: { readOnlyHint: true },
  text: ({ greeting }) => greeting,
  run: ({ name }) => ({ greeting: `Hello, ${name}!` }),
});
