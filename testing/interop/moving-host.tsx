/** The page around the examples of the guide "Move to Vitrine": an MCP client in the page, with a server in memory. */
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { McpServer } from "@modelcontextprotocol/server";
import type { CallToolResult } from "@vitrine/protocol";
import type { ComponentType } from "react";
import { createRoot } from "react-dom/client";
import * as z from "zod";
import { EventLog } from "../event-log.ts";

interface View {
  src: string;
  origin: string;
  html: string;
}
/** The part that all bridges of the guide have. */
interface AnyBridge {
  sendToolInput(input: object): unknown;
  sendToolResult(result: CallToolResult): unknown;
}
interface ForecastProps extends View {
  client: Client;
  view: View;
  input?: Record<string, unknown>;
  result?: CallToolResult;
}

const log = new EventLog();
const options = new URLSearchParams(location.search);
const server = new McpServer({ name: "weather", version: "1.0.0" });
for (const [name, extra] of [
  ["forecast", { annotations: { readOnlyHint: true } }],
  ["erase", {}],
  ["secret", { _meta: { ui: { visibility: ["model"] } } }],
] as const) {
  server.registerTool(
    name,
    { inputSchema: z.object({ city: z.string().optional() }), ...extra },
    ({ city }) => {
      log.add("ran", name);
      return { content: [{ type: "text", text: `${name} ${city}` }] };
    },
  );
}
const info = { name: "chat", version: "1.0.0" };
// `@mcp-ui/client` takes clients of the SDK 1.x.
const client = options.has("sdk1") ? (new Client1(info) as unknown as Client) : new Client(info);
const [clientEnd, serverEnd] = InMemoryTransport.createLinkedPair();
const view: View = {
  src: options.get("src") ?? "",
  origin: options.get("origin") ?? "",
  html: options.get("html") ? await (await fetch(options.get("html") ?? "")).text() : "",
};
await Promise.all([server.connect(serverEnd), client.connect(clientEnd)]);
const place = document.body.appendChild(document.createElement("main"));

/** Runs an example that returns a bridge. `wrap` puts the arguments into the form of its `sendToolInput`. */
export async function serveBridge(
  showApp: (place: Element, client: Client, view: View) => AnyBridge | Promise<AnyBridge>,
  wrap: (input: Record<string, unknown>) => object,
): Promise<void> {
  const bridge = await showApp(place, client, view);
  Object.assign(globalThis, {
    log,
    sendInput: (input: Record<string, unknown>) => bridge.sendToolInput(wrap(input)),
    sendResult: (result: CallToolResult) => bridge.sendToolResult(result),
  });
}

/** Runs an example that is a component. */
export function serveComponent(Forecast: ComponentType<ForecastProps>): void {
  const root = createRoot(place);
  let props: ForecastProps = { client, view, ...view };
  const render = (changes: Partial<ForecastProps>): void => {
    props = { ...props, ...changes };
    root.render(<Forecast {...props} />);
  };
  render({});
  Object.assign(globalThis, {
    log,
    sendInput: (input: Record<string, unknown>) => render({ input }),
    sendResult: (result: CallToolResult) => render({ result }),
  });
}
