/**
 * The duration of a request: the view calls a tool, the host page answers at once, one call after the other.
 * Each runtime has its own host side; the floor is handwritten `postMessage`.
 *
 * The official transport writes every message to the console. It is silenced here, for all contenders,
 * because with a debugger attached (as in a measured page) that would cost more than its users pay.
 *
 * @module
 */
import { pageOf, serve } from "./browser.mjs";
import { CONTENDERS, withEsbuild } from "./contenders.mjs";
import { against, ms, pairs, ratio, shuffled, summary, table } from "./statistics.mjs";

/** The answers: a small result, or 100 records of about 100 bytes. */
const SHARED = `
  const small = { content: [{ type: "text", text: "ok" }], structuredContent: { ok: true, value: 42 } };
  const records = Array.from({ length: 100 }, (_, id) => (
    { id, name: "record " + id, email: "user" + id + "@example.com", active: id % 2 === 0, score: id * 1.5 }));
  const large = { content: [{ type: "text", text: "100 records" }], structuredContent: { records } };
  const answer = ({ name }) => name === "large" ? large : small;
  const frame = document.createElement("iframe");
  frame.allow = "cross-origin-isolated";
  const insert = () => { frame.src = new URLSearchParams(location.search).get("view"); };
  document.body.append(frame);
`;

/** The view's end: `run` makes calls in sequence and returns the milliseconds of each. */
const RUN = `
  globalThis.run = async (name, count) => {
    const times = [];
    for (let i = 0; i < count; i++) {
      const began = performance.now();
      const { structuredContent } = await call({ name, arguments: { i } });
      times.push(performance.now() - began);
      if (!structuredContent) throw new Error("no result");
    }
    return times;
  };
  globalThis.isReady = true;
`;

const viewOf = (name, packageName) => `
  import { ${name} } from "${packageName}";
  const view = new ${name}({ name: "bench", version: "1" });
  await view.connect();
  const call = (params) => view.callServerTool(params);
  ${RUN}`;

const OPEN_WINDOW = `
  const origin = new URL(new URLSearchParams(location.search).get("view")).origin;
  peer.open(new WindowTransport({ target: frame.contentWindow, origin }));`;
const OPEN_PORT = `
  addEventListener("message", ({ source }) => {
    const { port1, port2 } = new MessageChannel();
    peer.open(new PortTransport(port1));
    source.postMessage("port", "*", [port2]);
  });`;

const ourHost = (name, opening = OPEN_WINDOW) => `
  import { ${name}, HOST_END, PortTransport, WindowTransport } from "@vitrine/protocol";
  ${SHARED}
  const peer = new ${name}(HOST_END);
  peer.handle("ui/initialize", () => ({
    protocolVersion: "2026-01-26", hostInfo: { name: "bench", version: "1" },
    hostCapabilities: { serverTools: {} }, hostContext: {},
  }));
  peer.handle("tools/call", async (params) => answer(params));
  ${opening}
  insert();`;

/** Our runtime over a port, for a host that gives one to the view. */
const portView = `
  import { PortTransport } from "@vitrine/protocol";
  import { App } from "@vitrine/view";
  const app = new App({ name: "bench", version: "1" });
  const port = await new Promise((resolve) => {
    addEventListener("message", ({ ports }) => resolve(ports[0]), { once: true });
    parent.postMessage("port", "*");
  });
  await app.connect(new PortTransport(port));
  const call = (params) => app.callServerTool(params);
  ${RUN}`;

const officialHost = (packageName) => `
  import { AppBridge, PostMessageTransport } from "${packageName}/app-bridge";
  ${SHARED}
  const bridge = new AppBridge(null, { name: "bench", version: "1" }, { serverTools: {} });
  bridge.oncalltool = async (params) => answer(params);
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  insert();`;

const FLOOR = {
  id: "floor",
  side: "floor",
  label: "floor (postMessage by hand)",
  view: `
    const waiting = new Map();
    let id = 0;
    addEventListener("message", ({ data }) => {
      waiting.get(data.id)(data.result);
      waiting.delete(data.id);
    });
    const call = (params) => new Promise((resolve) => {
      waiting.set(id, resolve);
      parent.postMessage({ jsonrpc: "2.0", id: id++, method: "tools/call", params }, "*");
    });
    ${RUN}`,
  host: `
    ${SHARED}
    addEventListener("message", ({ data, source }) =>
      source.postMessage({ jsonrpc: "2.0", id: data.id, result: answer(data.params) }, "*"));
    insert();`,
};

/** The same over a port: the effect of a direct channel that bypasses the browser process. */
const PORT = {
  id: "port",
  side: "floor",
  label: "floor (MessagePort by hand)",
  view: `
    const waiting = new Map();
    let id = 0;
    const port = await new Promise((resolve) => {
      addEventListener("message", ({ ports }) => resolve(ports[0]), { once: true });
      parent.postMessage("port", "*");
    });
    port.onmessage = ({ data }) => {
      waiting.get(data.id)(data.result);
      waiting.delete(data.id);
    };
    const call = (params) => new Promise((resolve) => {
      waiting.set(id, resolve);
      port.postMessage({ jsonrpc: "2.0", id: id++, method: "tools/call", params });
    });
    ${RUN}`,
  host: `
    ${SHARED}
    addEventListener("message", ({ source }) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data }) =>
        port1.postMessage({ jsonrpc: "2.0", id: data.id, result: answer(data.params) });
      source.postMessage("port", "*", [port2]);
    });
    insert();`,
};

const [view, app, v1, v2] = CONTENDERS;
const SUBJECTS = [
  FLOOR,
  PORT,
  { ...view, label: "View + Peer", view: viewOf("View", view.package), host: ourHost("Peer") },
  { ...app, label: "App + Peer", view: viewOf("App", app.package), host: ourHost("Peer") },
  {
    ...app,
    id: "checked",
    label: "App + CheckedPeer",
    view: viewOf("App", app.package),
    host: ourHost("CheckedPeer"),
  },
  {
    ...app,
    id: "ported",
    floor: "port",
    label: "App + Peer over a port",
    view: portView,
    host: ourHost("Peer", OPEN_PORT),
  },
  {
    ...v1,
    label: `App + AppBridge ${v1.label}`,
    view: viewOf("App", v1.package),
    host: officialHost(v1.package),
  },
  {
    ...v2,
    label: `App + AppBridge ${v2.label}`,
    view: viewOf("App", v2.package),
    host: officialHost(v2.package),
  },
];

const SITUATIONS = { "same origin": "host", "cross origin": "view" };
const SILENCE = "<script>console.debug=()=>{}</script>";
const WARM_UP = 100;
/** Short rounds: frequent turns spread the busy moments of the machine evenly. */
const CALLS = { small: 250, large: 15 };
/** Minimum number of rounds: a thousand calls. */
const LEAST = 4;
/** No new round after this many milliseconds: a busy machine gets fewer samples, not a longer run. */
const PATIENCE = 18_000;

/** Measures all contenders in turn, `rounds` times, in both situations. */
export async function measureRoundtrips(browser, rounds = 16) {
  const pages = {};
  for (const { id, view, host } of SUBJECTS) {
    const [viewCode, hostCode] = [await withEsbuild(view), await withEsbuild(host)];
    pages[`/view/${id}`] = () => pageOf(viewCode, SILENCE);
    pages[`/host/${id}`] = () => pageOf(hostCode, SILENCE);
  }
  const site = await serve(pages);
  const result = {};
  try {
    for (const [situation, viewHost] of Object.entries(SITUATIONS)) {
      const samples = {};
      const opened = await Promise.all(
        SUBJECTS.map(({ id }) => open(browser, site, id, `${site.origin(viewHost)}/view/${id}`)),
      );
      for (const { run } of opened) await run("small", WARM_UP);
      const deadline = Date.now() + PATIENCE;
      for (let round = 0; round < rounds && (round < LEAST || Date.now() < deadline); round++) {
        for (const { id, run } of shuffled(opened)) {
          for (const [size, count] of Object.entries(CALLS)) {
            ((samples[size] ??= {})[id] ??= []).push(...(await run(size, count)));
          }
        }
      }
      for (const { page } of opened) await page.close();
      result[situation] = Object.fromEntries(
        Object.entries(samples).map(([size, byId]) => [size, summarise(byId)]),
      );
    }
  } finally {
    site.close();
  }
  return result;
}

async function open(browser, site, id, viewUrl) {
  const page = await browser.newPage();
  const failed = new Promise((_, reject) => page.on("pageerror", reject));
  failed.catch(() => {});
  await page.goto(`${site.origin("host")}/host/${id}?view=${encodeURIComponent(viewUrl)}`);
  await page.waitForFunction(() => document.querySelector("iframe")?.src);
  const frame = page.frames().find((candidate) => candidate !== page.mainFrame());
  await Promise.race([frame.waitForFunction(() => globalThis.isReady), failed]);
  const run = (size, count) => frame.evaluate(([name, n]) => globalThis.run(name, n), [size, count]);
  return { id, page, run };
}

function summarise(byId) {
  const rows = SUBJECTS.map(({ id, side, label, floor = "floor" }) => ({
    id,
    side,
    label,
    floor,
    ...summary(byId[id]),
  }));
  const p50Of = (wanted) => rows.find(({ id }) => id === wanted).p50;
  const above = (row) => row.p50 - p50Of(row.floor);
  const ratios = pairs(rows, (official, ours) => ({
    p50: ratio(official.p50, ours.p50),
    p99: ratio(official.p99, ours.p99),
    aboveFloor: ratio(above(official), above(ours)),
  }));
  return { rows, ratios };
}

/** The result as text. */
export function showRoundtrips(result) {
  return Object.entries(result)
    .flatMap(([situation, bySize]) =>
      Object.entries(bySize).map(([size, { rows, ratios }]) =>
        table(
          [`${situation}, ${size} result`, "n", "p50", "p99", "÷View", "÷App", "÷checked", "÷port"],
          rows.map((row) => [
            row.label,
            row.n,
            ms(row.p50),
            ms(row.p99),
            ...["view", "app", "checked", "ported"].map((ours) => against(ratios, row, ours, "p50")),
          ]),
        ),
      ),
    )
    .join("\n\n");
}
