/**
 * A tool call with 1 KB there and back, over stdio: directly with the official client, and through the whole
 * gateway, with its guard and its audit log on disk. The official server over Streamable HTTP is measured
 * for comparison.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { WebSocket } from "ws";
import { ms, shuffled, summary, table, times } from "../statistics.mjs";
import { ECHO, openStage } from "./stage.mjs";

const RELAY = fileURLToPath(new URL("./relay.mjs", import.meta.url));
const TEXT = "x".repeat(1000);
const WARM_UP = 300;
const CALLS = 200;
/** Maximum ratio to the direct call. */
export const EXPECTED = { websocket: { p50: 1.8, p99: 3 }, http: { p50: 2.6 } };

const NAMES = {
  direct: "official client → stdio",
  relay: "WebSocket → bare relay → stdio: nothing guarded, nothing recorded",
  websocket: "page → WebSocket → gateway → stdio",
  "websocket-effect": "the same, a tool that is not read-only",
  http: "page → POST and event stream → gateway → stdio",
  post: "program → POST → gateway → stdio",
  streamable: "official client → Streamable HTTP",
};

/** Measures all contenders in turn, `rounds` times. */
export async function measureGatewayRoundtrips(rounds = 20) {
  const closers = [];
  try {
    const contenders = await open(closers);
    const samples = {};
    for (const call of Object.values(contenders)) for (let n = 0; n < WARM_UP; n++) await call();
    for (let round = 0; round < rounds; round++) {
      for (const [id, call] of shuffled(Object.entries(contenders))) {
        const own = (samples[id] ??= []);
        for (let n = 0; n < CALLS; n++) {
          const began = performance.now();
          await call();
          own.push(performance.now() - began);
        }
      }
    }
    const rows = Object.entries(samples).map(([id, own]) => ({ id, label: NAMES[id], ...summary(own) }));
    const direct = rows.find(({ id }) => id === "direct");
    return rows
      .map((row) => ({ ...row, ratio: { p50: row.p50 / direct.p50, p99: row.p99 / direct.p99 } }))
      .sort((a, b) => Object.keys(NAMES).indexOf(a.id) - Object.keys(NAMES).indexOf(b.id));
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

/**
 * The official transport uses one signal for all its requests. With each request, Node's `fetch` leaves a
 * listener on it until garbage collection, and warns about thousands of them.
 */
async function fetchWithOwnSignal(url, { signal, ...init } = {}) {
  const own = new AbortController();
  const abort = () => own.abort(signal.reason);
  signal?.addEventListener("abort", abort);
  try {
    return await fetch(url, { ...init, signal: own.signal });
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

async function open(closers) {
  const info = { name: "bench", version: "1.0.0" };
  const direct = new Client(info);
  await direct.connect(
    new StdioClientTransport({ command: process.execPath, args: [ECHO], stderr: "ignore" }),
  );
  closers.push(() => direct.close());

  const server = spawn(process.execPath, [ECHO, "--http"], { stdio: ["ignore", "pipe", "ignore"] });
  closers.push(() => server.kill());
  const port = await firstNumber(server);
  const streamable = new Client(info);
  const address = new URL(`http://127.0.0.1:${port}/mcp`);
  await streamable.connect(new StreamableHTTPClientTransport(address, { fetch: fetchWithOwnSignal }));
  closers.push(() => streamable.close());

  const bare = spawn(process.execPath, [RELAY, ECHO], { stdio: ["ignore", "pipe", "ignore"] });
  closers.push(() => bare.kill());
  const relay = await openRelay(await firstNumber(bare));
  closers.push(() => relay.close());

  const stage = await openStage();
  closers.push(() => stage.close());
  const viewOver = async (over) => {
    const page = await stage.page(over);
    return page.openView({ server: "echo", uri: "ui://echo/page" });
  };
  const [socket, http] = [await viewOver("websocket"), await viewOver("http")];
  const params = (name) => ({ name, arguments: { text: TEXT } });
  const ask = (view, name) => () => view.upstream.request("tools/call", params(name));
  const post = async () => {
    const answer = await stage.send(`${stage.origin}/api/servers/echo/tools/call`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(params("echo")),
    });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  };
  return {
    direct: () => direct.callTool(params("echo")),
    relay: () => relay.ask({ jsonrpc: "2.0", method: "tools/call", params: params("echo") }),
    websocket: ask(socket, "echo"),
    "websocket-effect": ask(socket, "change"),
    http: ask(http, "echo"),
    post,
    streamable: () => streamable.callTool(params("echo")),
  };
}

const firstNumber = ({ stdout }) =>
  new Promise((resolve) => stdout.once("data", (data) => resolve(Number(data))));

async function openRelay(port) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`, { perMessageDeflate: false });
  await new Promise((resolve) => socket.once("open", resolve));
  const waiting = new Map();
  let last = 0;
  socket.on("message", (data) => {
    const { id, result } = JSON.parse(data);
    waiting.get(id)(result);
    waiting.delete(id);
  });
  return {
    ask: (message) =>
      new Promise((resolve) => {
        waiting.set(++last, resolve);
        socket.send(JSON.stringify({ ...message, id: last }));
      }),
    close: () => socket.close(),
  };
}

export const showGatewayRoundtrips = (rows) =>
  table(
    ["", "p50", "p99", "p50 ÷ direct", "p99 ÷ direct"],
    rows.map(({ label, p50, p99, ratio }) => [label, ms(p50), ms(p99), times(ratio.p50), times(ratio.p99)]),
  );

/** Returns one line for each expectation that is not met. */
export const gatewayShortfalls = (rows) =>
  Object.entries(EXPECTED).flatMap(([id, limits]) => {
    const row = rows.find((one) => one.id === id);
    return Object.entries(limits)
      .filter(([key, limit]) => row.ratio[key] > limit)
      .map(
        ([key, limit]) =>
          `over ${limit}×: ${row.label}, ${key} = ${times(row.ratio[key])} of the direct call`,
      );
  });
