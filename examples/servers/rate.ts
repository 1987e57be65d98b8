import { appServer, tool, view } from "@vitrine/server";
import { z } from "zod";
import { rating } from "./rating.js";

export const rate = tool({
  name: "rate",
  input: z.object({ stars: z.number().int().min(1) }),
  output: z.object({ stars: z.number() }),
  view: view({ name: "rating", template: rating, config: { stars: 5, rateTool: "rate" } }),
  run: ({ stars }) => ({ stars }),
});

export const shop = appServer({ name: "shop", version: "1.0.0", tools: [rate] });
