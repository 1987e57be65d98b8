import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { clientUpstream, hostEndpoint, standardGuard } from "@vitrine/guard";
import { uiExtension } from "@vitrine/protocol";

// The MCP server whose apps you show.
const info = { name: "my-chat", version: "1.0.0" };
const client = new Client(info, { capabilities: { extensions: uiExtension() } });
await client.connect(new StdioClientTransport({ command: "node", args: ["server.js"] }));
const upstream = clientUpstream(client, { server: "weather" });

// Checks visibility, size, rate and policy of every request, and records it.
const guard = standardGuard(upstream, {
  policy: { "tools/call:refresh": "allow", "ui/download-file": "deny" },
  audit: { sink: (row) => console.log(row) },
});

/** Answers the requests of apps over HTTP: `Request` in, `Response` out. */
export const handle = hostEndpoint({ info, upstream, guard });
