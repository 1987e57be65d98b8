/**
 * A server with a correct app, and one app for each thing that can go wrong: `node apps-server.mjs [file]`.
 * The server writes to the file when the tool that never answers is called.
 */
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { viewScript } from "@vitrine/view/script";

const [note] = process.argv.slice(2);
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const answer = (id, result) => say({ id, result });
const text = (value) => ({ content: [{ type: "text", text: value }] });

const html = (body) => `<!doctype html><meta charset="utf-8"><title>App</title>${body}`;
const RUNTIME = `<script>${viewScript({ name: "fine", version: "1.2.3" })}</script>`;

/** Shows its input, and has a button for every request that needs consent. */
const FINE = `<style>
  body { font: 15px system-ui; margin: 12px; color: CanvasText }
</style>
<p id="result">no result yet</p>
<p hidden>not to be seen</p>
<p>To press later is not a button.</p>
<div id="buttons"></div>
<p id="said"></p>
<x-note></x-note>
${RUNTIME}
<script>
  customElements.define("x-note", class extends HTMLElement {
    connectedCallback() {
      this.attachShadow({ mode: "open" }).innerHTML = "<style>p { margin: 0 }</style><p>in the shadow</p>";
    }
  });
  const app = new vitrine.App();
  const show = (id, value) => (document.getElementById(id).textContent = value);
  app.ontoolresult = ({ content }) => show("result", content[0].text);
  const block = (value) => [{ type: "text", text: value }];
  const resource = { uri: "file:///notes.txt", mimeType: "text/plain", text: "notes" };
  const ACTS = {
    later: () => new Promise((resolve) => setTimeout(resolve, 200)),
    call: () => app.callServerTool({ name: "destroy", arguments: {} }),
    link: () => app.openLink({ url: "https://example.com/path" }),
    message: () => app.sendMessage({ role: "user", content: block("hello") }),
    download: () => app.downloadFile({ contents: [{ type: "resource", resource }] }),
    throw: () => { setTimeout(() => { throw new Error("thrown on purpose"); }); },
    spin: async () => { for (;;); },
  };
  for (const [name, act] of Object.entries(ACTS)) {
    const button = document.createElement("button");
    button.textContent = name;
    button.onclick = () => act().then(() => show("said", name + " done"), ({ message }) => show("said", name + " refused: " + message));
    document.getElementById("buttons").append(button);
  }
  app.connect();
  console.log("hello from the app");
</script>`;

const INITIALIZE = `parent.postMessage({ jsonrpc: "2.0", id: 1, method: "ui/initialize", params: {
  protocolVersion: "2026-01-26", appInfo: { name: "half", version: "1" }, appCapabilities: {} } }, "*");`;

const PAGES = {
  fine: { text: html(FINE) },
  /** The same app, but it sends a message by itself. */
  chatty: { text: html(FINE.replace("app.connect();", "app.connect().then(ACTS.message);")) },
  /** The same app, but it never comes to rest. */
  restless: {
    text: html(
      FINE.replace(
        "app.connect();",
        `const plain = () => app.callServerTool({ name: "plain", arguments: {} }).catch(() => {});
         const log = () => app.sendLog({ level: "info", data: "still here" });
         app.connect().then(() => { setInterval(plain, 200); setInterval(log, 100); });`,
      ),
    ),
  },
  /** Gone once its tool was called. */
  fading: { text: html(FINE) },
  /** Readable only once. */
  fleeting: { text: html(FINE) },
  camera: { text: html(FINE), ui: { permissions: { camera: {} } } },
  /** Declares a frame that some hosts refuse. */
  framed: {
    text: html(`${FINE}<iframe title="Map" src="https://maps.example.invalid/"></iframe>`),
    ui: { csp: { frameDomains: ["https://maps.example.invalid"] } },
  },
  spins: {
    text: html(
      FINE.replace(
        "app.connect();",
        "app.ontoolresult = () => setTimeout(() => { for (;;); }); app.connect();",
      ),
    ),
  },
  silent: { text: html("<p>I say nothing.<script>void 0</script>") },
  /** Has no script. */
  still: { text: html("<p>A report.") },
  half: { text: html(`<script>${INITIALIZE}</script>`) },
  throws: { text: html("<script>missing.thing();</script>") },
  blocked: { text: html('<script src="https://cdn.example/app.js"></script>') },
  leaves: { text: html('<script>location.href = "https://example.com/";</script>') },
  typed: { text: html("<p>Plain"), mimeType: "text/html" },
  odd: { text: html(FINE), ui: { csp: { connectDomains: ["not an origin; script-src *"] } } },
};

const OWN = { inputSchema: { type: "object", properties: {} } };
const ui = (page, visibility) => ({
  _meta: { ui: { resourceUri: `ui://apps/${page}`, ...(visibility && { visibility }) } },
});
const city = { type: "object", properties: { city: { type: "string", minLength: 2 } }, required: ["city"] };

/** URIs of pages that cannot be read any more. */
const gone = new Set();

/** The tools with their answers. */
const TOOLS = {
  ...Object.fromEntries(Object.keys(PAGES).map((page) => [page, [ui(page), () => text(`shown by ${page}`)]])),
  gone: [ui("gone"), () => text("shown")],
  picky: [{ ...ui("fine"), inputSchema: city }, ({ city: name }) => text(`the weather in ${name}`)],
  strange: [
    {
      ...ui("fine"),
      inputSchema: { ...city, properties: { city: { type: "string", pattern: "^[A-Z]{3}$" } } },
    },
    () => text("x"),
  ],
  destroy: [{ ...ui("fine"), annotations: { destructiveHint: true } }, () => text("destroyed")],
  private: [ui("fine", ["app"]), () => text("private")],
  plain: [{}, () => text("plain")],
  error: [ui("fine"), () => ({ ...text("out of tea"), isError: true })],
  fails: [ui("fine"), undefined],
  never: [ui("fine"), () => note && void appendFileSync(note, "called\n")],
  exits: [ui("fine"), () => process.exit(3)],
};

const HANDLERS = {
  initialize: (id) =>
    answer(id, {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {}, resources: {} },
      serverInfo: { name: "apps", version: "4.5.6" },
    }),
  "tools/list": (id) =>
    answer(id, { tools: Object.entries(TOOLS).map(([name, [about]]) => ({ name, ...OWN, ...about })) }),
  "resources/list": (id) =>
    answer(id, { resources: Object.keys(PAGES).map((name) => ({ name, uri: `ui://apps/${name}` })) }),
  "resources/read": (id, { uri }) => {
    const page = PAGES[uri.replace("ui://apps/", "")];
    if (!page || gone.has(uri))
      return say({ id, error: { code: -32002, message: "there is no such resource" } });
    if (uri === "ui://apps/fleeting") gone.add(uri);
    const { ui: meta = {}, mimeType = "text/html;profile=mcp-app", text: document } = page;
    return answer(id, { contents: [{ uri, mimeType, text: document, _meta: { ui: meta } }] });
  },
  "tools/call": (id, { name, arguments: input }) => {
    const [, act] = TOOLS[name];
    if (name === "fading") gone.add("ui://apps/fading");
    if (!act) return say({ id, error: { code: -32099, message: "the kettle is broken" } });
    const result = act(input);
    if (result) answer(id, result);
  },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (Object.hasOwn(HANDLERS, method)) HANDLERS[method](id, params);
  else say({ id, error: { code: -32601, message: "Method not found" } });
});
