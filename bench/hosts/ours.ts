/** Our host: `<mcp-app>` with the sandbox, each server's views in their own process. */
import { httpUpstream, standardGuard, type Upstream } from "@vitrine/guard";
import { warm } from "@vitrine/host";
import "@vitrine/host/define";
import { type CallToolResult, JsonText } from "@vitrine/protocol";
import { ANSWER, type BenchApp, INFO, serveBench } from "./page.ts";

const query = new URLSearchParams(location.search);
const isCold = query.has("cold");
/** Minimum milliseconds that a model takes from a tool's name to the end of its arguments. */
const WRITING = 1000;
const TOOL = { name: "x", inputSchema: { type: "object" } };

/** A server in the page that answers at once. */
const upstreamOf = ({ name }: BenchApp): Upstream => ({
  ...httpUpstream({ url: "/", server: name, capabilities: { tools: {} } }),
  request: (async (method: string) =>
    method === "tools/list" ? { tools: [TOOL] } : ANSWER) as Upstream["request"],
});

const ENDLESS = { burst: 1e9, perSecond: 1e9 };
/** A product's settings, except for the rate limit of views: the bench sends more requests than any app. */
const guards = new Map<string, { upstream: Upstream; guard: ReturnType<typeof standardGuard> }>();
function guarded(app: BenchApp) {
  const known = guards.get(app.name);
  if (known) return known;
  const upstream = upstreamOf(app);
  const guard = standardGuard(upstream, {
    policy: { "tools/call": "allow" },
    rates: { call: ENDLESS, other: ENDLESS },
  });
  const entry = { upstream, guard };
  guards.set(app.name, entry);
  return entry;
}

/** Whether the proxy of a preloaded frame is ready. */
const proxyReady = (origin: string): Promise<void> =>
  new Promise((resolve) => {
    const hear = ({ data, origin: from }: MessageEvent): void => {
      if (from !== origin || Object(data).method !== "ui/notifications/sandbox-proxy-ready") return;
      removeEventListener("message", hear);
      resolve();
    };
    addEventListener("message", hear);
  });

serveBench({
  connect: async (app) => {
    guarded(app);
    if (isCold) return;
    const { view } = app;
    const ready = proxyReady(view.origin);
    warm(view);
    await ready;
    if (!query.has("run")) return;
    warm(view, { run: true });
    await new Promise((resolve) => setTimeout(resolve, WRITING));
  },
  show(app, place) {
    const element = document.createElement("mcp-app");
    element.toggleAttribute("keep", query.has("keep"));
    element.app = { info: INFO, title: app.name, view: app.view, ...guarded(app) };
    place.append(element);
    const { bridge } = element;
    return {
      state: () => element.state,
      frame: () => element.shadowRoot?.querySelector("iframe"),
      sendInput: (input) => bridge?.sendToolInput(input),
      sendResult: (result: CallToolResult | string) =>
        bridge?.sendToolResult(typeof result === "string" ? new JsonText(result) : result),
    };
  },
});
