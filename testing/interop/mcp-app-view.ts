/** A view in the style of the `McpApp` class: positional arguments, plain values. Tests swap the class. */
import { McpApp } from "@vitrine/view/mcp-app";
import { EventLog } from "../event-log.ts";

const log = new EventLog();
const app = new McpApp();
app.ontoolinput = (args) => log.add("input", { arguments: args });
app.ontoolinputpartial = (args) => log.add("partial", { arguments: args });
app.ontoolresult = (result) => log.add("result", result);
app.ontoolcancelled = (reason) => log.add("cancelled", { reason });
app.onhostcontextchanged = (change) => log.add("context", change);
app.onteardown = async (reason) => log.add("teardown", { reason });

const callTool = (name: string, args: Record<string, unknown>): Promise<unknown> =>
  app.callServerTool(name, args);

Object.assign(globalThis, { app, log, callTool });
app.connect().then(({ hostContext }) => log.add("connected", hostContext));
