// A back end that is the host of the dashboard. A page forwards a view's messages to /views, and posts
// messages from /calls into the frame. `node examples/analysis/host.mjs`, and see docs/hosts/endpoint.md.
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import {
  clientUpstream,
  hostEndpoint,
  notifyToolInput,
  notifyToolResult,
  standardGuard,
} from "@vitrine/guard";
import { uiExtension } from "@vitrine/protocol";

const info = { name: "analysis-host", version: "1.0.0" };
const client = new Client(info, { capabilities: { extensions: uiExtension() } });
const server = fileURLToPath(new URL("./server.mjs", import.meta.url));
await client.connect(new StdioClientTransport({ command: process.execPath, args: [server] }));
const upstream = clientUpstream(client, { server: "MyApp" });

/** Messages of views for the model's next turn. */
const modelContext = [];

/** Handlers of a view's requests. */
const views = hostEndpoint({
  info,
  upstream,
  guard: standardGuard(upstream, { policy: () => "allow" }),
  handlers: {
    message: ({ content }) => void modelContext.push(...content),
    updateModelContext: ({ content = [] }) => void modelContext.push(...content),
  },
  initialize: () => ({ hostContext: { theme: "dark", locale: "en-US" } }),
});

/** The model calls a tool: the messages about that call for its view. */
async function calls(request) {
  const { name, input } = await request.json();
  const result = await upstream.request("tools/call", { name, arguments: input });
  return Response.json([notifyToolInput(input), notifyToolResult(result)]);
}

const routes = { "/views": views, "/calls": calls };

const listener = createServer(async (incoming, outgoing) => {
  const { method, headers, url } = incoming;
  // A page of another site cannot send JSON here without a preflight request, nor by pointing its own host
  // name at this machine.
  const isJson = method === "POST" && headers["content-type"] === "application/json";
  const isMeant = /^127\.0\.0\.1(:\d+)?$/.test(headers.host ?? "");
  const route = isJson && isMeant ? routes[url] : undefined;
  if (!route) return outgoing.writeHead(404).end();
  const request = new Request(`http://${headers.host}${url}`, {
    method,
    headers: { "content-type": "application/json" },
    body: Readable.toWeb(incoming),
    duplex: "half",
  });
  try {
    const response = await route(request);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
  } catch {
    outgoing.writeHead(400).end();
  }
});
listener.listen(0, "127.0.0.1", () => {
  process.stderr.write(`http://127.0.0.1:${listener.address().port}\n`);
});
