import { type McpClient, standardGuard } from "@vitrine/guard";
import type { Tool } from "@vitrine/protocol";
import { askInFrame } from "./frame/prompt.js";
import { pageView, prepare, showSnapshot, snapshotApp, takeSnapshot } from "./in-page.js";
import "@vitrine/host/define";

const info = { name: "chat", version: "1.0.0" };

export function pageViewExample(app: HTMLElementTagNameMap["mcp-app"], html: string) {
  //#region pageView
  const view = pageView(
    { html, csp: { connectDomains: ["https://api.weather.example"] } },
    { server: "https://weather.example/mcp", sandbox: "https://{role}-{label}.apps.example.com" },
  );
  app.app = { info, title: "Weather", view };
  //#endregion pageView
}

export function prepareExample(
  app: HTMLElementTagNameMap["mcp-app"],
  client: McpClient,
  sandbox: string,
  tool: Tool,
) {
  //#region prepare
  const weather = prepare(client, { server: "https://weather.example/mcp", sandbox });
  const { upstream } = weather;
  const guard = standardGuard(upstream, { ask: askInFrame });
  app.app = { info, title: tool.title ?? tool.name, view: weather.view(tool), upstream, guard };
  //#endregion prepare
}

export async function snapshotExample(
  app: HTMLElementTagNameMap["mcp-app"],
  client: McpClient,
  sandbox: string,
  tool: Tool,
  stored: string,
  store: (text: string) => void,
) {
  const weather = prepare(client, { server: "https://weather.example/mcp", sandbox });
  const guard = standardGuard(weather.upstream, { ask: askInFrame });
  //#region snapshot
  const view = await weather.view(tool);
  app.app = { info, title: "Weather", view, upstream: weather.upstream, guard };
  // When the call has ended:
  if (app.bridge) store(JSON.stringify(takeSnapshot(app.bridge, view)));
  // Later, without the server:
  showSnapshot(app, JSON.parse(stored), { info, sandbox });
  //#endregion snapshot
  //#region snapshotApp
  const { input, result, cancelled, ...options } = snapshotApp(JSON.parse(stored), { info, sandbox });
  //#endregion snapshotApp
  return [input, result, cancelled, options];
}
