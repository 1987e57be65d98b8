import { appServer, tool, view } from "@vitrine/server";
import { z } from "zod";

// The page. The server inlines the scripts and styles of the folder into one document.
const greeting = view({
  name: "greeting",
  title: "Greeting",
  folder: new URL("./view", import.meta.url),
});

export const greet = tool({
  name: "greet",
  description: "Greets somebody by name",
  input: z.object({ name: z.string().min(1, "Whom?") }),
  output: z.object({ greeting: z.string() }),
  annotations: { readOnlyHint: true },
  view: greeting,
  text: ({ greeting }) => greeting,
  run: ({ name }) => ({ greeting: `Hello, ${name}!` }),
});

/** The tool's types, for the page. @typedef {import("@vitrine/server").ToolsOf<[typeof greet]>} Tools */

export const app = appServer({ name: "my-app", version: "1.0.0", tools: [greet] });
