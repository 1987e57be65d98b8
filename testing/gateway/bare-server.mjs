/**
 * A server for requirements that are tested on the product. Its views are written by hand, without any SDK,
 * and follow a test's commands; the server records its requests. `node bare-server.mjs NAME FILE`.
 */
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [, , server, file] = process.argv;
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const note = (what) => appendFileSync(file, `${server} ${what}\n`);
const text = (value) => ({ content: [{ type: "text", text: value }] });
const MIME = "text/html;profile=mcp-app";

/** A view that records all messages, sends the requests that it is given, and starts with this script. */
const view = (
  begin,
  body = "",
) => `<!doctype html><meta charset="utf-8"><title>Probe</title><p>Grüße</p>${body}
<script>
  heard = [];
  const waiting = new Map();
  let next = 1, asText = false;
  const post = (message) => {
    const whole = { jsonrpc: "2.0", ...message };
    parent.postMessage(asText ? JSON.stringify(whole) : whole, "*");
  };
  addEventListener("message", ({ data }) => {
    heard.push(data);
    const { id, method } = typeof data === "string" ? JSON.parse(data) : data;
    if (method === undefined) waiting.get(id)?.(data);
    else if (id !== undefined) {
      if (method === "ui/resource-teardown") say("notifications/message", { level: "info", data: data.params.reason });
      post({ id, result: {} });
    }
  });
  say = (method, params) => post({ method, params });
  ask = (method, params, id = next++) =>
    new Promise((resolve) => {
      waiting.set(id, resolve);
      post({ id, method, params });
    });
  const STANDARD = { protocolVersion: "2026-01-26", appInfo: { name: "probe", version: "1" }, appCapabilities: {} };
  const begin = (params) =>
    ask("ui/initialize", params).then((answer) => {
      welcome = answer;
      say("ui/notifications/initialized", {});
    });
  ${begin}
</script>`;
const PLAIN = view("begin(STANDARD)");

let version = 1;
const RESOURCES = {
  plain: () => ({ text: PLAIN }),
  blob: () => ({ blob: Buffer.from(PLAIN).toString("base64") }),
  /** Declared only on the list, only on the content, and on both. */
  listed: () => ({ text: PLAIN }),
  both: () => ({ text: PLAIN, _meta: { ui: { csp: { connectDomains: ["https://content.example"] } } } }),
  hostile: () => ({
    text: PLAIN,
    _meta: { ui: { csp: { connectDomains: ["https://ok.example; script-src *"] } } },
  }),
  typed: () => ({ text: PLAIN, mimeType: "text/html" }),
  changing: () => ({ text: view("begin(STANDARD)", `<h1>version ${version}</h1>`) }),
  wild: () => ({ text: view("begin({ clientInfo: { name: 'wild', version: '1' }, capabilities: {} })") }),
  eager: () => ({
    text: view(
      "ask('ui/initialize', STANDARD).then(async (answer) => { welcome = answer; early = await ask('tools/call', { name: 'both_kinds', arguments: {} }); })",
    ),
  }),
  texts: () => ({ text: view("asText = true; begin(STANDARD)") }),
  newer: () => ({ text: view("begin({ ...STANDARD, protocolVersion: '2099-01-01' })") }),
};
const LISTED = { csp: { connectDomains: ["https://list.example"] } };
const resources = ["listed", "both"].map((name) => ({
  name,
  uri: `ui://${server}/${name}`,
  mimeType: MIME,
  _meta: { ui: LISTED },
}));

const ui = (resourceUri, more = {}) => ({ _meta: { ui: { resourceUri, ...more } } });
const shown = Object.fromEntries(Object.keys(RESOURCES).map((name) => [name, ui(`ui://${server}/${name}`)]));
const TOOLS = {
  ...shown,
  flat: { _meta: { "ui/resourceUri": `ui://${server}/plain` } },
  /** Its policy is declared in the wrong place. */
  misplaced: ui(`ui://${server}/plain`, { csp: { connectDomains: ["https://tool.example"] } }),
  missing: ui(`ui://${server}/nowhere`),
  elsewhere: ui("https://example.com/app.html"),
  fails: ui(`ui://${server}/plain`),
  model_only: ui(`ui://${server}/plain`, { visibility: ["model"] }),
  app_only: { _meta: { ui: { visibility: ["app"] } } },
  /** On every server, for model and app. */
  both_kinds: {},
  slow: {},
  update: {},
};
const inputSchema = { type: "object", properties: {} };
const tools = Object.entries(TOOLS).map(([name, more]) => ({
  name,
  inputSchema,
  annotations: { readOnlyHint: true },
  ...more,
}));

const HANDLERS = {
  initialize: (id, { capabilities }) => {
    note(`initialize ${JSON.stringify(capabilities.extensions ?? {})}`);
    say({
      id,
      result: {
        protocolVersion: "2025-11-25",
        capabilities: { tools: { listChanged: true }, resources: { listChanged: true } },
        serverInfo: { name: server, version: "1.0.0" },
      },
    });
  },
  "tools/list": (id) => say({ id, result: { tools } }),
  "resources/list": (id) => say({ id, result: { resources } }),
  "resources/read": (id, { uri }) => {
    note(`read ${uri}`);
    const name = uri.replace(`ui://${server}/`, "");
    if (!Object.hasOwn(RESOURCES, name)) return say({ id, error: { code: -32002, message: "no such file" } });
    return say({ id, result: { contents: [{ uri, mimeType: MIME, ...RESOURCES[name]() }] } });
  },
  "tools/call": (id, { name, _meta }) => {
    note(`call ${name}`);
    if (name === "fails") return say({ id, error: { code: -32099, message: "the kettle is broken" } });
    if (name === "slow") {
      const { progressToken } = _meta ?? {};
      say({
        method: "notifications/progress",
        params: { progressToken, progress: 1, total: 2, message: "half" },
      });
      return undefined;
    }
    if (name === "update") {
      version++;
      say({ method: "notifications/resources/list_changed" });
    }
    return say({
      id,
      result: { ...text(`${server} ${name}`), structuredContent: { a: 1 }, _meta: { own: true } },
    });
  },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "notifications/cancelled") note("cancelled");
  if (id === undefined) return;
  if (Object.hasOwn(HANDLERS, method)) HANDLERS[method](id, params ?? {});
  else if (method === "ping") say({ id, result: {} });
  else say({ id, error: { code: -32601, message: "Method not found" } });
});
