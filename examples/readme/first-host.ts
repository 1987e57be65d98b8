import "@vitrine/host/define";
import { httpUpstream, standardGuard } from "@vitrine/guard";
import { askInFrame } from "@vitrine/host";

const { server, capabilities, view, result } = await (await fetch("/apps/forecast")).json(); // from your back end
const upstream = httpUpstream({ url: "/rpc", server, capabilities });
const guard = standardGuard(upstream, { ask: askInFrame });
const app = document.createElement("mcp-app");
app.app = { info: { name: "my-chat", version: "1.0.0" }, view, upstream, guard, title: "Weather" };
document.body.append(app);
app.bridge?.sendToolInput({ city: "Rome" });
app.bridge?.sendToolResult(result);
