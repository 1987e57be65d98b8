/**
 * The site of the host benchmarks: one server for every host's page and every app, the peers' proxy page on
 * another port, our sandbox, and the apps themselves: two official ones as their servers deliver them, and
 * small ones.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { serveSandbox } from "@vitrine/sandbox/node";
import { build } from "esbuild";
import { pageOf } from "../browser.mjs";
import { ROOT, versionOf, withRollup } from "../contenders.mjs";

/** The compared hosts. `page` is the host page and its query. */
export const HOSTS = [
  { id: "ours", side: "ours", label: "Vitrine", page: "ours" },
  {
    id: "official",
    side: "official",
    label: `AppBridge ${versionOf("@modelcontextprotocol/ext-apps")}`,
    page: "official",
  },
  {
    id: "mcp-ui",
    side: "official",
    label: `@mcp-ui/client ${versionOf("@mcp-ui/client")}`,
    page: "mcp-ui",
  },
];
/** Our host without preparation: the app's process and proxy page are started at the click. */
export const COLD = { id: "cold", side: "cold", label: "Vitrine, nothing prepared", page: "ours?cold" };
/** Our host with the app started out of sight, because it knew what would be clicked. */
export const STARTED = { id: "started", side: "started", label: "Vitrine, started before", page: "ours?run" };

/** The policy that MCP Apps gives a view by default. The peers' views inherit it from the proxy page. */
const VIEW_POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data:; media-src 'self' data:; connect-src 'none'";

/** Runs first in every app, in every host: notifies the page when the view has its input and its result. */
function listener() {
  const tell = (what, number, at) => top.postMessage({ bench: { what, number, at } }, "*");
  addEventListener("message", ({ source, data }) => {
    const { method, params, calls } = Object(data);
    const [, what] = /^ui\/notifications\/tool-(input|result)$/.exec(method) ?? [];
    if (what) tell(what, params._meta?.bench ?? 0, performance.timeOrigin + performance.now());
    if (calls && source === top) globalThis.run(calls).then((times) => tell("times", 0, times));
  });
}
const withListener = (html) => html.replace(/^<!doctype html>/i, `$&<script>(${listener})()</script>`);

/** The view's end of a round trip: `run` makes calls in sequence and returns the milliseconds of each. */
const RUN = `
  globalThis.run = async (count) => {
    const times = [];
    for (let i = 0; i < count; i++) {
      const began = performance.now();
      const { structuredContent } = await call({ name: "x", arguments: { i } });
      times.push(performance.now() - began);
      if (!structuredContent) throw new Error("no result");
    }
    return times;
  };`;
const runtimeView = (name, packageName) => `
  import { ${name} } from "${packageName}";
  const view = new ${name}({ name: "bench", version: "1" });
  const call = (params) => view.callServerTool(params);
  ${RUN}
  view.connect();`;
/** The smallest app on our runtime: it shows a result. */
const minimalView = `
  import { View } from "@vitrine/view";
  const view = new View({ name: "bench", version: "1" });
  view.on("toolresult", (result) => document.body.append(result.content[0].text.slice(0, 100)));
  view.connect();`;
const rawView = `
  const waiting = new Map();
  let id = 0;
  const post = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const ask = (method, params) => new Promise((resolve) => {
    waiting.set(id, resolve);
    post({ id: id++, method, params });
  });
  addEventListener("message", ({ data }) => {
    waiting.get(data.id)?.(data.result);
    waiting.delete(data.id);
  });
  const call = (params) => ask("tools/call", params);
  ${RUN}
  const appInfo = { name: "bench", version: "1" };
  ask("ui/initialize", { protocolVersion: "2026-01-26", appInfo, appCapabilities: {} }).then(() =>
    post({ method: "ui/notifications/initialized", params: {} }));`;

const OWN = {
  view: minimalView,
  "run-raw": rawView,
  "run-ours": runtimeView("View", "@vitrine/view"),
  "run-official": runtimeView("App", "@modelcontextprotocol/ext-apps"),
};
/** Third-party apps, with typical arguments of their tools. */
export const OFFICIAL = ["basic-vanillajs", "budget-allocator"];

/** Data of an official server: its app, its tool, and the tool's result. */
async function askOfficialServer(name) {
  const client = new Client(
    { name: "bench", version: "1" },
    {
      capabilities: {
        extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
      },
    },
  );
  const path = join(ROOT, `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [path, "--stdio"],
    stderr: "ignore",
  });
  try {
    await client.connect(transport);
    const { tools } = await client.listTools();
    const tool = tools.find(({ _meta }) => _meta?.ui?.resourceUri);
    const uri = tool._meta.ui.resourceUri;
    const result = await client.callTool({ name: tool.name, arguments: {} });
    const { contents } = await client.readResource({ uri });
    return { name, tool: tool.name, uri, result, html: contents[0].text };
  } finally {
    await client.close();
  }
}

async function ownApp(name, code) {
  const result = { content: [{ type: "text", text: "21 degrees, and sunny" }] };
  return { name, tool: "x", uri: `ui://${name}/app.html`, result, html: pageOf(await withRollup(code)) };
}

async function bundle(file) {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, "bench/hosts", file)],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "error",
  });
  return outputFiles[0].text;
}

const listen = async (answer) => {
  const server = createServer(answer);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, origin: `http://localhost:${server.address().port}` };
};

const STYLE =
  "body{margin:0}section{height:400px;overflow:auto;border-bottom:1px solid}iframe{width:100%;border:0}";
const hostPage = (name) =>
  `<!doctype html><meta charset="utf-8"><title>${name}</title><style>${STYLE}</style><body><script type="module" src="/${name}.js"></script>`;

/**
 * Starts everything.
 *
 * An app `name` is also available as `name@2`, `name@3` and so on: the same app on separate servers.
 */
export async function openSite() {
  const apps = new Map();
  const made = [
    ...OFFICIAL.map(askOfficialServer),
    ...Object.entries(OWN).map(([name, code]) => ownApp(name, code)),
  ];
  for (const app of await Promise.all(made)) apps.set(app.name, { ...app, html: withListener(app.html) });
  const pages = {};
  for (const [name, file] of Object.entries({
    ours: "ours.ts",
    official: "official.ts",
    "mcp-ui": "mcp-ui.tsx",
  })) {
    pages[`/${name}`] = ["text/html", hostPage(name)];
    pages[`/${name}.js`] = ["text/javascript", await bundle(file)];
  }
  let sandbox;

  const describe = async (name, { tool, uri, html }) => {
    const { src, origin, allow } = await sandbox.sandbox.register({ server: name, html });
    return { name, tool, uri, input: {}, view: { src, origin, allow } };
  };
  const ask = async (place, name, app) => {
    if (place === "call") return app.result;
    if (place === "read")
      return { contents: [{ uri: app.uri, mimeType: "text/html;profile=mcp-app", text: app.html }] };
    return describe(name, app);
  };
  const host = await listen(async ({ url }, response) => {
    const { pathname } = new URL(url, "http://localhost");
    const [, place, name = ""] = pathname.split("/");
    const app = apps.get(name.replace(/@.*/, ""));
    const [type, body = ""] = pages[pathname] ?? [
      "application/json",
      app && JSON.stringify(await ask(place, name, app)),
    ];
    response
      .writeHead(body ? 200 : 404, { "content-type": `${type}; charset=utf-8`, "cache-control": "no-store" })
      .end(body);
  });
  const proxyPage = readFileSync(join(ROOT, "bench/hosts/proxy.html"));
  const proxy = await listen((_request, response) =>
    response
      .writeHead(200, {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": VIEW_POLICY,
        "cache-control": "max-age=3600",
      })
      .end(proxyPage),
  );
  sandbox = await serveSandbox({ secret: "a secret for the bench only", port: 0, hosts: [host.origin] });
  return {
    /** The URL of a host page. */
    address: ({ page }) =>
      `${host.origin}/${page}${page.includes("?") ? "&" : "?"}proxy=${encodeURIComponent(proxy.origin)}`,
    async close() {
      await sandbox.close();
      for (const { server } of [host, proxy]) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}
