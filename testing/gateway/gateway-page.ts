/**
 * A host page whose servers are behind a gateway: tests open it, open views in it, and read what happened. Runs in the
 * browser.
 */

import type { HostHandlers } from "@vitrine/guard";
import { askInPage, McpAppElement, saveFiles, setLanguage } from "@vitrine/host";
import { bestLanguage } from "@vitrine/host/languages";
import "@vitrine/host/define";
import { connectGateway, type GatewayView, showView } from "@vitrine/host/gateway";
import { DEFAULT_STYLE_VARIABLES, JsonText } from "@vitrine/protocol";
import type { GatewayAnswer, GatewayRequests } from "@vitrine/wire";
import { EventLog } from "../event-log.ts";

const log = new EventLog();
const views = new Map<string, GatewayView>();
/** `/?ask&upgradeAfter=100` */
const search = new URLSearchParams(location.search);
/** A user's automatic answer; undefined to ask the user. */
let answer: GatewayAnswer | undefined = search.has("ask")
  ? undefined
  : { answer: "allow", remember: "session" };

const gateway = connectGateway({
  url: "/api/session",
  upgradeAfter: search.has("upgradeAfter") ? Number(search.get("upgradeAfter")) : undefined,
  onstate: (state) => log.add("state", state),
  onask: async (question, signal) => {
    const { method, subject, view, server } = question;
    log.add("asked", { method, subject, view, server });
    return answer ?? askInPage(question, signal);
  },
  ontakenover: () => log.add("taken-over"),
});
document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) =>
  log.add("violation", { effectiveDirective, blockedURI }),
);
for (const notice of ["gateway/status", "gateway/changed", "gateway/alarm"] as const)
  gateway.on(notice, (params) => log.add(notice, params));

/** Shows a view that the gateway opened. */
function show(view: GatewayView, id: string): void {
  views.set(id, view);
  const element = document.createElement("mcp-app");
  // Tests open many views in a page, and look at each.
  element.toggleAttribute("keep", true);
  element.id = id;
  const handlers: HostHandlers = {
    openLink: (params) => log.add("open-link", { id, ...params }),
    message: (params, { server }) => log.add("message", { ...params, id, server }),
    updateModelContext: (params, { server }) => log.add("model-context", { ...params, id, server }),
    downloadFile: saveFiles(view.upstream),
    createMessage: (params) => {
      log.add("sampling", { id, ...params });
      return { role: "assistant", model: "none", content: { type: "text", text: "sampled" } };
    },
    log: (params) => log.add("log", { id, ...params }),
  };
  showView(element, view, {
    info: { name: "test host", version: "1.0.0" },
    context: { styles: { variables: DEFAULT_STYLE_VARIABLES } },
    handlers,
    onstate: (state, failure) => log.add(`${id} ${state}`, failure ?? {}),
    onreport: (report) => log.add("report", { id, ...report }),
  });
  const { bridge } = element;
  if (!bridge) throw new Error("an app without a bridge");
  bridge.on("report", ({ code, message }) => log.add("odd", { id, code, message }));
  const send = bridge.sendToolResult.bind(bridge);
  bridge.sendToolResult = (result) => {
    log.add(`${id} result`, result instanceof JsonText ? result.parse() : result);
    send(result);
  };
  document.body.append(element);
  view.onclosed = (reason) => log.add(`${id} gone`, { reason });
}

const api = {
  log,
  gateway,
  /** Sets the page's language. */
  speak: (tag: string) => setLanguage(bestLanguage([tag])),
  /** Opens a view, and shows it. */
  open: async (id: string, params: GatewayRequests["gateway/open"]["params"]) => {
    const view = await gateway.openView(params);
    show(view, id);
    return view.opened;
  },
  /** Calls a tool in a new conversation, and shows the app of its result. */
  openResult: async (
    id: string,
    asked: Pick<GatewayRequests["conversation/call"]["params"], "server" | "tool" | "arguments">,
    more: Partial<GatewayRequests["gateway/open"]["params"]> = {},
  ) => {
    const { id: conversation } = await gateway.request("conversation/open", {});
    const { item } = await gateway.request("conversation/call", { id: conversation, ...asked });
    for (;;) {
      const { items } = await gateway.request("conversation/open", { id: conversation });
      const call = items.find((each) => each.id === item);
      if (call?.kind === "call" && call.endedAt !== undefined) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const { server, tool } = asked;
    return api.open(id, { server, tool, call: { conversation, item }, ...more });
  },
  /** Shows the views that this tab had before it was reloaded. */
  restore: async () => {
    const restored = await gateway.restoreViews();
    for (const [index, view] of restored.entries()) show(view, `restored-${index}`);
    return restored.map(({ opened }) => opened);
  },
  /** Sends a view's request without its bridge, as a modified page could. */
  ask: (id: string, method: "tools/call", params: { name: string }) =>
    views.get(id)?.upstream.request(method, params),
  answerWith: (next: GatewayAnswer | undefined) => {
    answer = next;
  },
  /** The gateway's description of a view. */
  opened: (id: string) => views.get(id)?.opened,
  app(id: string): McpAppElement {
    const element = document.getElementById(id);
    if (!(element instanceof McpAppElement)) throw new Error(`no app ${id}`);
    return element;
  },
  close: async (id: string) => {
    await api.app(id).close("the test is over");
    await views.get(id)?.close();
  },
};
/** Functions that tests call in the page, as `host`. */
export type GatewayPageApi = typeof api;
Object.assign(globalThis, { host: api });
