/**
 * A view without any library, as in a widely copied guide: `clientInfo` and `capabilities` for `appInfo` and
 * `appCapabilities` (T01), a tool call right after the answer and never `initialized` (T02), no answer to
 * the host's requests. With `?text` its messages are JSON text, and it understands nothing else (T03).
 */
import { EventLog } from "../event-log.ts";

type Message = { id?: number; method?: string; params?: unknown; result?: unknown; error?: unknown };

const isText = new URLSearchParams(location.search).has("text");
const log = new EventLog();
let nextId = 1;
const pending = new Map<number, { resolve: (value: unknown) => void; reject: (error: unknown) => void }>();
const NAMES: Record<string, string> = {
  "ui/notifications/tool-input": "input",
  "ui/notifications/tool-input-partial": "partial",
  "ui/notifications/tool-result": "result",
  "ui/notifications/tool-cancelled": "cancelled",
  "ui/notifications/host-context-changed": "context",
};

function mcpRequest(method: string, params = {}): Promise<unknown> {
  const id = nextId++;
  const message = { jsonrpc: "2.0", id, method, params };
  window.parent.postMessage(isText ? JSON.stringify(message) : message, "*");
  return new Promise((resolve, reject) => pending.set(id, { resolve, reject }));
}

window.addEventListener("message", ({ data }) => {
  if (isText && typeof data !== "string") return log.add("not-text", data);
  const { id, method, params, result, error }: Message = isText ? JSON.parse(data) : data;
  const waiting = pending.get(id ?? -1);
  if (waiting) {
    pending.delete(id ?? -1);
    return error ? waiting.reject(error) : waiting.resolve(result);
  }
  if (method) log.add(NAMES[method] ?? method, params);
});

const callTool = (name: string, args: Record<string, unknown>): Promise<unknown> =>
  mcpRequest("tools/call", { name, arguments: args });

async function init(): Promise<void> {
  const { hostContext } = (await mcpRequest("ui/initialize", {
    capabilities: {},
    clientInfo: { name: "My App", version: "1.0.0" },
    protocolVersion: "2026-01-26",
  })) as { hostContext: unknown };
  log.add("connected", hostContext);
  log.add("first-call", await callTool("get_dashboard_data", { query: "initial" }));
}

Object.assign(globalThis, { log, callTool });
init();
