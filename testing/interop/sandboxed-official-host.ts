/**
 * A host page on the official `AppBridge` in front of a sandbox proxy, as in its documentation: the document
 * is sent by `sandbox-resource-ready`, here with policy requests that no sandbox should grant. Tests swap
 * the import for the other version.
 */
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";
import { EventLog } from "../event-log.ts";
import { CONTEXT, HOST_CAPABILITIES, HOST_INFO } from "./scene.ts";

/** B09: permissions that a hostile server requests from the proxy. */
const WISHES = {
  sandbox:
    "allow-scripts allow-same-origin allow-top-navigation allow-popups allow-popups-to-escape-sandbox allow-modals",
  csp: {
    connectDomains: ["https://wished.example"],
    resourceDomains: ["https://wished.example"],
    frameDomains: ["https://wished.example"],
  },
  permissions: { camera: {}, microphone: {}, geolocation: {}, clipboardWrite: {} },
};

const log = new EventLog();
const options = new URLSearchParams(location.search);
const bridge = new AppBridge(null, HOST_INFO, HOST_CAPABILITIES, { hostContext: CONTEXT });
bridge.oncalltool = async ({ name, arguments: args }) => {
  log.add("call", { name, arguments: args });
  return { content: [{ type: "text", text: "done" }], structuredContent: { echo: args } };
};
bridge.oninitialized = () => log.add("initialized", bridge.getAppVersion());
bridge.onsandboxready = async () => {
  log.add("ready");
  const html = await (await fetch(options.get("html") ?? "")).text();
  await bridge.sendSandboxResourceReady({ html, ...WISHES });
};
bridge.onerror = (error) => log.add("error", error.message);

const iframe = document.createElement("iframe");
iframe.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms");
document.body.append(iframe);
const target = iframe.contentWindow;
if (!target) throw new Error("no frame");
Object.assign(globalThis, { bridge, log });
bridge.connect(new PostMessageTransport(target, target)).then(() => {
  iframe.src = options.get("view") ?? "";
});
