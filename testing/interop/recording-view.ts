/**
 * A view that records all messages and offers one tool. It is written once, for the official `App`'s
 * surface: tests swap the import to run it on each runtime.
 */
import { App } from "@vitrine/view";
import * as z from "zod";
import { EventLog } from "../event-log.ts";

const options = new URLSearchParams(location.search);
const log = new EventLog();
const app = new App(
  { name: "recording-view", version: "1.2.3" },
  { tools: { listChanged: true }, availableDisplayModes: ["inline", "fullscreen"] },
);

app.ontoolinput = (params) => log.add("input", params);
app.ontoolinputpartial = (params) => log.add("partial", params);
app.ontoolresult = (params) => log.add("result", params);
app.ontoolcancelled = (params) => log.add("cancelled", params);
app.onhostcontextchanged = (params) => log.add("context", params);
app.onerror = (error) => log.add("error", error.message);
if (!options.has("no-teardown")) {
  app.onteardown = async (params) => {
    log.add("teardown", params);
    return {};
  };
}

const tool = app.registerTool(
  "double",
  {
    description: "Doubles a number",
    inputSchema: z.object({ n: z.number() }),
    outputSchema: z.object({ doubled: z.number() }),
    annotations: { readOnlyHint: true },
  },
  async ({ n }) => ({ content: [{ type: "text", text: `${2 * n}` }], structuredContent: { doubled: 2 * n } }),
);

/** The call that every kind of view has, for tests that run all kinds. */
const callTool = (name: string, args: Record<string, unknown>): Promise<unknown> =>
  app.callServerTool({ name, arguments: args });

Object.assign(globalThis, { app, tool, log, callTool });
app.connect().then(
  () => log.add("connected", app.getHostContext()),
  (error: Error) => log.add("failed", error.message),
);
