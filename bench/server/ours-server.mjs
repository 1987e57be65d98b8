/** Twenty tools with a view each, with `@vitrine/server`. */
import { appServer, tool, view } from "@vitrine/server";
import { z } from "zod";
import { COUNT, DOCUMENT } from "./document.mjs";

const tools = Array.from({ length: COUNT }, (_, at) =>
  tool({
    name: `tool-${at}`,
    description: "A tool with a view",
    input: z.object({ city: z.string() }),
    output: z.object({ city: z.string(), high: z.number() }),
    text: ({ city, high }) => `${city} ${high}`,
    view: view({ name: `view-${at}`, html: DOCUMENT }),
    run: ({ city }) => ({ city, high: 21 }),
  }),
);
export const server = appServer({ name: "bench", version: "1.0.0", tools });
export const { create } = server;
