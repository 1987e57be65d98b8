/**
 * A server with apps that draw in different ways, and apps that show nothing: `node drawing-server.mjs
 * [page]`. With the name of a page, that page is served for every app.
 */
import { createInterface } from "node:readline";
import { viewScript } from "@vitrine/view/script";

const [instead] = process.argv.slice(2);
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const RUNTIME = viewScript({ name: "drawing", version: "1.0.0" }).replaceAll("\n", " ");
const SQUARE =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='40' height='40'><circle cx='20' cy='20' r='15'/></svg>";

/** The app's own lines begin at the third line. */
const page = (script, body = "", style = "") => `<!doctype html><meta charset="utf-8"><style>${style}</style>
<body>${body}<script>${RUNTIME}</script><script>const app = new vitrine.App(undefined, { availableDisplayModes: ["inline", "fullscreen"] }, { autoResize: !globalThis.flat });
${script}
app.connect();</script>`;
const onResult = (work) => `app.ontoolresult = async () => {\n${work}\n};`;
const canvas = (work) => [
  onResult(`const canvas = document.querySelector("canvas"); ${work}`),
  '<canvas width="300" height="100" style="display:block;width:100vw"></canvas>',
  "body { margin: 0 }",
];

const PAGES = {
  text: page(onResult("document.body.append('The weather in Rome is fine, with 21 degrees.')")),
  /** Two apps that differ in a few words and a number. */
  reworded: page(onResult("document.body.append('The weather in Rome is good, with 7 degrees.')")),
  other: page(onResult("document.body.append('Nobody knows anything about this city.')")),
  canvas: page(...canvas("canvas.getContext('2d').fillRect(20, 20, 50, 50);")),
  /** A single colour, on purpose. */
  solid: page(
    ...canvas("const c = canvas.getContext('2d'); c.fillStyle = 'teal'; c.fillRect(0, 0, 300, 100);"),
  ),
  webgl: page(
    ...canvas(
      "const gl = canvas.getContext('webgl'); gl.enable(gl.SCISSOR_TEST); gl.scissor(0, 0, 150, 50); gl.clearColor(1, 0, 0, 1); gl.clear(gl.COLOR_BUFFER_BIT);",
    ),
  ),
  image: page("", `<img alt="" src="${SQUARE}">`),
  background: page("", "", `body { background: url("${SQUARE}") no-repeat }`),
  tiny: page(
    "",
    '<div style="width:2px;height:2px;background:black"></div>',
    "html { width: 6px } body { margin: 2px }",
  ),
  below: page("", '<div style="height:1500px"></div>At last.'),
  shadow: page(
    "document.querySelector('x-y').attachShadow({ mode: 'open' }).innerHTML = '<b>In the shadow</b>';",
    "<x-y></x-y>",
  ),
  late: page(onResult("setTimeout(() => document.body.append('Here at last'), 3000);")),
  spinner: page("", `<p>Loading map…</p><img alt="" width="200" height="200" src="${SQUARE}">`),
  handled: page(onResult("try { nothing.there(); } catch { document.body.append('All the same'); }")),

  empty: page(""),
  hidden: page("", "<p>Hello</p>", "body { display: none }"),
  invisible: page("", "<p>Hello</p>", "body { visibility: hidden }"),
  transparent: page("", "<p>Hello</p>", "body { opacity: 0 }"),
  white: page("", "<p>Hello</p>", "html { background: white; color: white; color-scheme: only light }"),
  grey: page("", "", "html { background: #888 }"),
  unpainted: page(...canvas("")),
  flat: `<script>flat = 1</script>${page(onResult("app.sendSizeChanged({ width: 300, height: 0 });"), "<p>Hello</p>")}`,
  loading: page("", "<h1>Loading…</h1><p>Please wait</p>"),
  throws: page(onResult("nothing.there();"), "<p>Waiting for the result</p>"),
  throwsAtStart: page("nothing.there();", "<p>Not connected</p>"),
  rejects: page(onResult("await null; throw new Error('no tea');"), "<p>Waiting for the result</p>"),
  fetches: page(onResult("await fetch('https://api.example/tea?secret=1');"), "<p>Waiting</p>"),
  /** Its browser reports the blocked request after the error. */
  fetchesLate: page(
    `Promise.reject(new TypeError("Failed to fetch"));
    ${onResult("setTimeout(() => fetch('https://api.example/tea').catch(() => {}), 150);")}`,
    "<p>Waiting</p>",
  ),
};

const META = { empty: { prefersBorder: true }, text: { prefersBorder: true } };
const tools = Object.keys(PAGES).map((name) => ({
  name,
  inputSchema: { type: "object", properties: {} },
  annotations: { readOnlyHint: true },
  _meta: { ui: { resourceUri: `ui://drawing/${name}` } },
}));

const HANDLERS = {
  initialize: () => ({
    protocolVersion: "2025-11-25",
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: "drawing", version: "1.0.0" },
  }),
  "tools/list": () => ({ tools }),
  "tools/call": ({ name }) => ({ content: [{ type: "text", text: `the result of ${name}` }] }),
  "resources/read": ({ uri }) => {
    const name = instead ?? uri.replace("ui://drawing/", "");
    const _meta = { ui: META[name] ?? {} };
    return { contents: [{ uri, mimeType: "text/html;profile=mcp-app", text: PAGES[name], _meta }] };
  },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (Object.hasOwn(HANDLERS, method)) say({ id, result: HANDLERS[method](params) });
  else say({ id, error: { code: -32601, message: "Method not found" } });
});
