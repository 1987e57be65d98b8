// A server whose apps show their host context: `probe` declares no display modes, `inline-only` declares
// inline. Both apply the host's style variables and fonts as official apps do, and show the computed styles.
import { Server } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

const MIME = "text/html;profile=mcp-app";

/** Shows the host context as JSON in `#context`, and the computed styles in `#computed`. */
const page = (capabilities) => `<!doctype html><meta charset="utf-8"><title>Probe</title>
<body><p id="sample">Sample</p><pre id="computed"></pre><pre id="context"></pre><script>
  const waiting = new Map();
  const post = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const ask = (id, method, params) => new Promise((resolve) => {
    waiting.set(id, resolve);
    post({ id, method, params });
  });
  let context = {};
  const show = async () => {
    const { theme, styles = {} } = context;
    const { style } = document.documentElement;
    style.colorScheme = theme;
    for (const [name, value] of Object.entries(styles.variables ?? {})) style.setProperty(name, value);
    if (styles.css?.fonts) {
      const fonts = document.getElementById("fonts") ?? document.head.appendChild(document.createElement("style"));
      fonts.id = "fonts";
      fonts.textContent = styles.css.fonts;
    }
    const sample = document.getElementById("sample");
    sample.style.cssText = "color: var(--color-text-primary); background: var(--color-background-primary);" +
      "font: var(--font-weight-bold) var(--font-text-lg-size) / 1.2 var(--font-sans)";
    await document.fonts.load(getComputedStyle(sample).font).catch(() => []);
    const { color, backgroundColor, fontFamily, fontSize, fontWeight } = getComputedStyle(sample);
    const faces = [...document.fonts].map(({ family, status }) => ({ family, status }));
    document.getElementById("context").textContent = JSON.stringify(context);
    document.getElementById("computed").textContent =
      JSON.stringify({
        variables: Object.keys(styles.variables ?? {}).length,
        ...{ color, backgroundColor, fontFamily, fontSize, fontWeight, faces },
      });
  };
  addEventListener("message", ({ source, data }) => {
    if (source !== parent || Object(data).jsonrpc !== "2.0") return;
    if (data.method === undefined) waiting.get(data.id)?.(data.result);
    else if (data.method === "ui/notifications/host-context-changed") {
      context = { ...context, ...data.params };
      show();
    } else if (data.id !== undefined) post({ id: data.id, result: {} });
  });
  const appInfo = { name: "probe", version: "1.0.0" };
  ask(1, "ui/initialize", {
    protocolVersion: "2026-01-26", appInfo, appCapabilities: ${JSON.stringify(capabilities)},
  }).then(async (host) => {
    context = host.hostContext;
    await show();
    post({ method: "ui/notifications/initialized", params: {} });
    post({ method: "ui/notifications/size-changed", params: { height: 300 } });
  });
</script></body>`;

const APPS = {
  probe: page({}),
  "inline-only": page({ availableDisplayModes: ["inline"] }),
};
// `--more=N` adds N tools with their own apps.
const more = Number(process.argv.find((each) => each.startsWith("--more="))?.slice(7) ?? 0);
for (let number = 1; number <= more; number++) APPS[`more-${number}`] = page({});

const server = new Server(
  { name: "probe", version: "1.0.0" },
  { capabilities: { tools: {}, resources: {} } },
);
server.setRequestHandler("tools/list", () => ({
  tools: Object.keys(APPS).map((name) => ({
    name,
    title: name,
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: true },
    _meta: { ui: { resourceUri: `ui://probe/${name}` } },
  })),
}));
server.setRequestHandler("tools/call", () => ({ content: [{ type: "text", text: "probed" }] }));
server.setRequestHandler("resources/list", () => ({
  resources: Object.keys(APPS).map((name) => ({ uri: `ui://probe/${name}`, name, mimeType: MIME })),
}));
server.setRequestHandler("resources/read", ({ params: { uri } }) => ({
  contents: [{ uri, mimeType: MIME, text: APPS[uri.split("/").at(-1)] ?? "" }],
}));

await server.connect(new StdioServerTransport());
