import { tool } from "@vitrine/server";
import { z } from "zod";

export default tool({
  name: "my-tool",
  description: "Says how long a text is",
  input: z.object({ text: z.string() }),
  output: z.object({ letters: z.number() }),
  annotations: { readOnlyHint: true },
  text: ({ letters }) => `It has ${letters} letters.`,
  run: ({ text }) => ({ letters: [...text].length }),
});
