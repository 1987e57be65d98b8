import "@vitrine/host/define";
import { pageView } from "@vitrine/host/in-page";
import type { ResourceMeta } from "@vitrine/protocol";

/** Shows a document that this page has. `meta` is `_meta.ui` of its resource. */
export function show(html: string, { csp, permissions }: ResourceMeta) {
  const app = document.createElement("mcp-app");
  app.app = {
    info: { name: "chat", version: "1.0.0" },
    title: "Weather",
    view: pageView(
      { html, csp, permissions },
      { server: "https://weather.example/mcp", sandbox: "https://{role}-{label}.apps.example.com" },
    ),
  };
  document.body.append(app);
}
