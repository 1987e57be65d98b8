// A server whose apps speak other dialects: `window.openai` of the ChatGPT Apps SDK, and the messages of mcp-ui. Its documents
// are written from the public references; they record what they get, and tests act through them.
import { createInterface } from "node:readline";

const WIDGET = "ui://widget/weather.html";
const BOTH = "ui://widget/both.html";
const LARGE = "x".repeat(100_000);

/** A widget of the Apps SDK: reads `window.openai`, and follows `openai:set_globals`. */
const widget = `<!doctype html><html lang="en"><title>Weather</title><style>#tall{height:321px}</style>
<body><p id="now"></p><div id="tall"></div><button id="open">Enlarge</button><button id="modal">Modal</button><script>
  const seen = [];
  const atStart = Object.keys(window.openai);
  const show = () => {
    document.getElementById("now").textContent = window.openai.toolOutput?.temperature ?? "waiting";
  };
  addEventListener("openai:set_globals", ({ detail }) => {
    seen.push(...Object.keys(detail.globals));
    show();
  });
  const told = [];
  addEventListener("openai:tool_response", ({ detail }) => told.push(detail.tool));
  let mode, shown;
  document.getElementById("open").onclick = () => {
    mode = window.openai.requestDisplayMode({ mode: "fullscreen" });
  };
  document.getElementById("modal").onclick = () => {
    shown = window.openai.requestModal({ params: { id: 7 } });
  };
  show();
</script>`;

/** An app that shakes hands itself and uses `window.openai` where it is there. */
const both = `<!doctype html><title>Both</title><script>
  const heard = [];
  addEventListener("message", ({ data, source }) => {
    if (source !== parent) return;
    heard.push(data.method ?? data.id);
    if (data.id === 1) parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/initialized" }, "*");
    if (data.method === "ping") parent.postMessage({ jsonrpc: "2.0", id: data.id, result: { own: true } }, "*");
  });
  const appInfo = { name: "both", version: "1.0.0" };
  parent.postMessage({ jsonrpc: "2.0", id: 1, method: "ui/initialize",
    params: { protocolVersion: "2026-01-26", appInfo, appCapabilities: { availableDisplayModes: ["inline"] } } }, "*");
</script>`;

/** A document of mcp-ui: `act` sends an action and resolves with its answers. */
const actions = `
  const heard = [];
  const act = (message, messageId = "m" + Math.random()) =>
    new Promise((resolve) => {
      const answers = [];
      addEventListener("message", function hear({ data, source }) {
        if (source !== window.parent || data.messageId !== messageId) return;
        answers.push(data);
        if (data.type === "ui-message-received") return;
        removeEventListener("message", hear);
        resolve(answers);
      });
      window.parent.postMessage({ ...message, messageId }, "*");
    });
  addEventListener("message", ({ data }) => data.type && heard.push(data));
`;
const cart = `<!doctype html><title>Cart</title><p style="height:222px">Two apples</p><script>${actions}
  window.parent.postMessage({ type: "ui-lifecycle-iframe-ready" }, "*");
</script>`;

const schema = { type: "object" };
const text = (words) => ({ content: [{ type: "text", text: words }] });
const embedded = (resource) => ({
  content: [
    { type: "text", text: "here" },
    { type: "resource", resource },
  ],
});
const template = { "openai/outputTemplate": WIDGET };

const TOOLS = [
  {
    name: "weather",
    title: "Weather",
    inputSchema: schema,
    _meta: {
      ...template,
      "openai/toolInvocation/invoking": "Looking outside",
      "openai/toolInvocation/invoked": "Looked outside",
    },
  },
  {
    name: "both",
    inputSchema: schema,
    _meta: { ui: { resourceUri: BOTH }, "openai/outputTemplate": WIDGET },
  },
  {
    name: "refresh",
    inputSchema: schema,
    annotations: { readOnlyHint: true },
    _meta: { "openai/widgetAccessible": true },
  },
  { name: "forecast", inputSchema: schema, _meta: { "openai/widgetAccessible": false } },
  { name: "secret", inputSchema: schema, _meta: { "openai/visibility": "private" } },
  { name: "fails", inputSchema: schema, annotations: { readOnlyHint: true } },
  { name: "cart", title: "Cart", inputSchema: schema },
  { name: "static", inputSchema: schema },
  { name: "page", inputSchema: schema },
  { name: "dom", inputSchema: schema },
];

const csp = { connect_domains: ["https://api.example.com"], resource_domains: ["https://cdn.example.com"] };
const RESOURCES = {
  [WIDGET]: {
    mimeType: "text/html+skybridge",
    text: widget,
    _meta: {
      "openai/widgetCSP": { ...csp, frame_domains: [], redirect_domains: ["https://shop.example.com"] },
      "openai/widgetDomain": "weather.example.com",
      "openai/widgetPrefersBorder": true,
      "openai/widgetDescription": "The weather of a city.",
    },
  },
  [BOTH]: {
    mimeType: "text/html;profile=mcp-app",
    text: both,
    _meta: { "openai/widgetPrefersBorder": true },
  },
};

const CALLS = {
  weather: (input) => ({
    ...text("It is warm."),
    structuredContent: { temperature: 21, city: input.city },
    _meta: { station: "roof" },
  }),
  both: () => text("both"),
  refresh: (input) => ({ ...text("fresh"), structuredContent: { ...input, at: 2 } }),
  forecast: () => text("rain"),
  secret: () => text("only for views"),
  fails: () => ({ ...text("no such city"), isError: true }),
  cart: () =>
    embedded({
      uri: "ui://shop/cart",
      mimeType: "text/html",
      text: cart,
      _meta: { "mcpui.dev/ui-initial-render-data": { currency: "EUR" } },
    }),
  static: () => embedded({ uri: "ui://shop/static", mimeType: "text/html", text: "<h1>Open all day</h1>" }),
  page: () =>
    embedded({
      uri: "ui://shop/page",
      mimeType: "text/uri-list",
      text: `# a comment\r\n${process.argv[2]}\r\nhttps://second.example.com/`,
    }),
  dom: () =>
    embedded({
      uri: "ui://shop/dom",
      mimeType: "application/vnd.mcp-ui.remote-dom+javascript; framework=react",
      text: LARGE,
    }),
};

const METHODS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: "dialects", version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools: TOOLS }),
  "tools/call": ({ name, arguments: input = {} }) => CALLS[name](input),
  "resources/list": () => ({ resources: Object.keys(RESOURCES).map((uri) => ({ uri, name: uri })) }),
  "resources/templates/list": () => ({ resourceTemplates: [] }),
  "resources/read": ({ uri }) => ({ contents: [{ uri, ...RESOURCES[uri] }] }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = METHODS[method]
    ? { result: METHODS[method](params) }
    : { error: { code: -32601, message: "Method not found" } };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
}
