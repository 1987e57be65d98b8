import { setTimeout as pause } from "node:timers/promises";
import { appServer, tool } from "@vitrine/server";
import { z } from "zod";

//#region progress
export const brew = tool({
  name: "brew",
  input: z.object({ cups: z.number().int().min(1).max(12) }),
  run: async ({ cups }, { progress, signal }) => {
    for (let cup = 0; cup < cups; cup++) {
      await progress(cup, cups, `Cup ${cup + 1}`);
      await pause(1000, undefined, { signal });
    }
    return `${cups} cups of tea`;
  },
});
//#endregion progress

//#region subscribable
const lines: string[] = [];

const note = tool({
  name: "note",
  input: z.object({ line: z.string() }),
  run: ({ line }) => {
    lines.push(line);
    notes.resourceUpdated("notes://all");
    return "Noted";
  },
});

export const notes = appServer({
  name: "notes",
  version: "1.0.0",
  tools: [note],
  subscribable: ["notes://all"],
  extend: (server) => {
    server.registerResource("notes", "notes://all", { mimeType: "text/plain" }, ({ href }) => ({
      contents: [{ uri: href, mimeType: "text/plain", text: lines.join("\n") }],
    }));
  },
});
//#endregion subscribable
