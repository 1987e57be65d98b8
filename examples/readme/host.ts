import "@vitrine/host/define";
import { httpUpstream, standardGuard } from "@vitrine/guard";
import { askInFrame } from "@vitrine/host";

// Your back end has an endpoint of @vitrine/guard, and registers views with @vitrine/sandbox.
const { server, capabilities, view } = await (await fetch("/apps/forecast")).json();
const upstream = httpUpstream({ url: "/rpc", server, capabilities });

const app = document.createElement("mcp-app");
app.app = {
  info: { name: "my-chat", version: "1.0.0" },
  view, // { src, origin }
  upstream,
  guard: standardGuard(upstream, { ask: askInFrame }), // asks the user before a call has an effect
  title: "Weather",
  handlers: { openLink: ({ url }) => void open(url, "_blank", "noopener") },
};
document.body.append(app);

app.bridge?.sendToolInput({ city: "Rome" });
app.bridge?.sendToolResult({ content: [{ type: "text", text: "Rome: sunny, 24°" }] });
