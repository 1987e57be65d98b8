/**
 * A host page on the official `AppBridge`. Every handler records its request and has an answer. Written
 * once; tests swap the import for the other version.
 */
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";
import * as z from "zod";
import { EventLog } from "../event-log.ts";
import { CONTEXT, HOST_CAPABILITIES, HOST_INFO } from "./scene.ts";

/** Information about a request that both versions give a handler, under either version's names. */
interface Extra extends Partial<Asked> {
  sendNotification?: Asked["notify"];
  mcpReq?: Asked;
}
interface Asked {
  signal: AbortSignal;
  _meta?: { progressToken?: string | number };
  notify: (notification: { method: string; params: Record<string, unknown> }) => Promise<void>;
}
const asked = (extra: unknown): Asked => {
  const { mcpReq, signal, _meta, sendNotification } = extra as Extra;
  if (mcpReq) return mcpReq;
  if (!signal || !sendNotification) throw new Error("neither version's extra");
  return { signal, notify: sendNotification, ...(_meta && { _meta }) };
};

const log = new EventLog();
const bridge = new AppBridge(null, HOST_INFO, HOST_CAPABILITIES, { hostContext: CONTEXT });

bridge.oncalltool = async ({ name, arguments: args }, extra) => {
  const { signal, notify, _meta } = asked(extra);
  log.add("call", { name, arguments: args });
  switch (name) {
    case "fail":
      return { isError: true, content: [{ type: "text", text: "it failed" }] };
    case "throw":
      throw new Error("boom");
    case "slow":
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      log.add("aborted");
      return { content: [] };
    case "progress": {
      const progressToken = _meta?.progressToken ?? "none";
      for (const progress of [1, 2]) {
        const params = { progressToken, progress, total: 2, message: `step ${progress}` };
        await notify({ method: "notifications/progress", params });
      }
    }
  }
  return { content: [{ type: "text", text: "done" }], structuredContent: { echo: args } };
};
bridge.onreadresource = async (params) => {
  log.add("read", params);
  return { contents: [{ uri: params.uri, mimeType: "text/plain", text: "contents" }] };
};
bridge.onlistresources = async () => ({ resources: [{ uri: "demo://one", name: "one" }] });
bridge.onlistresourcetemplates = async () => ({
  resourceTemplates: [{ uriTemplate: "demo://{id}", name: "any" }],
});
bridge.onlistprompts = async () => ({ prompts: [{ name: "greet" }] });
bridge.onmessage = async (params) => {
  log.add("message", params);
  return {};
};
bridge.onupdatemodelcontext = async (params) => {
  log.add("model-context", params);
  return {};
};
bridge.onopenlink = async (params) => {
  log.add("open-link", params);
  return params.url.startsWith("https:") ? {} : { isError: true };
};
bridge.ondownloadfile = async (params) => {
  log.add("download", params);
  return {};
};
bridge.onrequestdisplaymode = async ({ mode }) => ({ mode });
bridge.oncreatesamplingmessage = async (params) => {
  log.add("sampling", params);
  return { role: "assistant", model: "none", content: { type: "text", text: "sampled" } };
};
bridge.onloggingmessage = (params) => log.add("log", params);
bridge.onsizechange = (params) => log.add("size", params);
bridge.onrequestteardown = (params) => log.add("request-teardown", params);
bridge.oninitialized = () =>
  log.add("initialized", { appInfo: bridge.getAppVersion(), appCapabilities: bridge.getAppCapabilities() });
bridge.onping = () => log.add("ping");
bridge.fallbackNotificationHandler = async ({ method }) => log.add(method);

const options = new URLSearchParams(location.search);
if (options.has("custom"))
  bridge.fallbackRequestHandler = async ({ method, params }) => {
    if (method !== "x/echo") throw Object.assign(new Error(`no ${method}`), { code: -32601 });
    return { method, params };
  };
if (options.has("early")) {
  addEventListener("message", ({ data }) => {
    if (data.method === "ui/initialize") bridge.sendToolInput({ arguments: { early: true } });
  });
}

const iframe = document.createElement("iframe");
document.body.append(iframe);
const target = iframe.contentWindow;
if (!target) throw new Error("no frame");
/** The result schema that the older version needs for a request. */
const anySchema = z.looseObject({});
Object.assign(globalThis, { bridge, log, anySchema });
bridge.connect(new PostMessageTransport(target, target)).then(() => {
  iframe.src = options.get("view") ?? "";
});
