import { tool } from "@vitrine/server";
import { z } from "zod";

export default tool({
  name: "greet",
  description: "Greets somebody",
  input: z.object({ name: z.string().min(1, "Whom?") }),
  output: z.object({ greeting: z.string() }),
  run: ({ name }) => ({ greeting: `Hello, ${name}!` }),
});
