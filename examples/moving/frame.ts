//#region show
import type { Client } from "@modelcontextprotocol/client";
import { clientUpstream, standardGuard } from "@vitrine/guard";
import { askInFrame, type Bridge, type FrameView } from "@vitrine/host";
import "@vitrine/host/define";

/** Shows a view that your back end registered with its document. */
export function showApp(place: Element, client: Client, view: FrameView): Bridge {
  // In your chat, make the upstream and the guard once per server: its apps share limits and answers.
  const upstream = clientUpstream(client, { server: "Weather" });
  const app = document.createElement("mcp-app");
  app.app = {
    info: { name: "my-chat", version: "1.0.0" },
    view,
    upstream,
    guard: standardGuard(upstream, { ask: askInFrame }),
    title: "Forecast",
    context: { theme: "dark" },
    handlers: { openLink: ({ url }) => void window.open(url, "_blank", "noopener") },
  };
  place.append(app);
  return app.bridge as Bridge;
}
//#endregion show
