import "@vitrine/host/define";
import type { McpAppElement } from "@vitrine/host";
import { type InPageView, showSnapshot, takeSnapshot } from "@vitrine/host/in-page";

const sandbox = "https://{role}-{label}.apps.example.com"; // The `origin` of your sandbox.

/** The app as text, to store it with the conversation. `view` is that of `prepare`, or of `pageView`. */
export function save({ bridge }: McpAppElement, view: InPageView): string {
  if (!bridge) throw new Error("the app was closed");
  return JSON.stringify(takeSnapshot(bridge, view));
}

/** Shows it again, whether its server is there or not. */
export function show(stored: string): McpAppElement {
  const app = document.createElement("mcp-app");
  showSnapshot(app, JSON.parse(stored), { info: { name: "chat", version: "1.0.0" }, sandbox });
  document.body.append(app);
  return app;
}
