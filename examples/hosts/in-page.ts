import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { standardGuard } from "@vitrine/guard";
import { askInFrame } from "@vitrine/host";
import "@vitrine/host/define";
import { prepare } from "@vitrine/host/in-page";
import { uiExtension } from "@vitrine/protocol";

const info = { name: "chat", version: "1.0.0" };
const url = "https://weather.example/mcp";
const client = new Client(info, { capabilities: { extensions: uiExtension() } });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));

const sandbox = "https://{role}-{label}.apps.example.com"; // The `origin` of your sandbox.
const { upstream, apps } = prepare(client, { server: url, sandbox });
const guard = standardGuard(upstream, { ask: askInFrame });

for (const { tool, view } of await apps()) {
  const app = document.createElement("mcp-app");
  app.app = { info, title: tool.title ?? tool.name, view, upstream, guard };
  document.body.append(app);
  app.bridge?.sendToolInput({});
  app.bridge?.sendToolResult(await client.callTool({ name: tool.name, arguments: {} }));
}
