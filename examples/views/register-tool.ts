import { App } from "@vitrine/view";
import { z } from "zod";

const app = new App({ name: "table", version: "1.0.0" });
app.registerTool(
  "select_row",
  {
    description: "Selects a row of the table that the user sees",
    inputSchema: z.object({ row: z.number().int().min(1) }),
    outputSchema: z.object({ name: z.string() }),
    annotations: { readOnlyHint: true },
  },
  ({ row }) => {
    const selected = document.querySelector("table")?.rows[row];
    selected?.setAttribute("aria-selected", "true");
    const name = selected?.cells[0]?.textContent ?? "nothing";
    return { content: [{ type: "text", text: `Selected ${name}` }], structuredContent: { name } };
  },
);
await app.connect();
