/**
 * A mail server whose app uses its storage: `node mail-server.mjs <account>`. Its tools and its page are
 * fixed text, so that consents in a recorded database stay valid. `show` has an app; `send` changes
 * something. The account `slow` lists its tools after a second, plus one more; `broken` does not start.
 */
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";

const account = process.argv.slice(2).join(" ") || "nobody";
if (account === "broken") process.exit(1);
const URI = "ui://mail/inbox.html";
const mimeType = "text/html;profile=mcp-app";

const PAGE = `<!doctype html>
<meta charset="utf-8">
<title>Inbox</title>
<button>store</button>
<p>stored <output id="stored"></output></p>
<p>result <output id="result"></output></p>
<script>
  const show = (id, text) => (document.getElementById(id).textContent = text);
  const say = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  show("stored", localStorage.getItem("mail") ?? "nothing");
  document.querySelector("button").onclick = () => {
    localStorage.setItem("mail", "a private draft");
    show("stored", localStorage.getItem("mail"));
  };
  addEventListener("message", ({ data }) => {
    if (data.id === 1) say({ method: "ui/notifications/initialized", params: {} });
    if (data.method === "ui/notifications/tool-result") show("result", JSON.stringify(data.params));
    if (data.method === "ui/resource-teardown") say({ id: data.id, result: {} });
  });
  say({
    id: 1,
    method: "ui/initialize",
    params: { protocolVersion: "2026-01-26", appInfo: { name: "inbox", version: "1.0.0" }, appCapabilities: {} },
  });
</script>`;

const TOOLS = [
  {
    name: "show",
    title: "Inbox",
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: true },
    _meta: { ui: { resourceUri: URI } },
  },
  {
    name: "send",
    title: "Send a mail",
    inputSchema: { type: "object" },
    annotations: { destructiveHint: false },
  },
];

const ANSWERS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion: protocolVersion ?? "2025-06-18",
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: "mail", version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": async () => {
    if (account !== "slow") return { tools: TOOLS };
    await wait(1000);
    return { tools: [...TOOLS, { name: "slowly", inputSchema: { type: "object" } }] };
  },
  "tools/call": ({ name }) => ({
    content: [{ type: "text", text: `${name} for ${account}` }],
    _meta: { session: `secret of ${account}` },
  }),
  "resources/list": () => ({ resources: [{ uri: URI, name: "inbox", mimeType }] }),
  "resources/templates/list": () => ({ resourceTemplates: [] }),
  "resources/read": ({ uri }) => ({ contents: [{ uri, mimeType, text: PAGE }] }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined || method === undefined) continue;
  const answer = Object.hasOwn(ANSWERS, method)
    ? { result: await ANSWERS[method](params) }
    : { error: { code: -32601, message: `there is no method ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`);
}
