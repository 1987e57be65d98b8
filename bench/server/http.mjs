/**
 * The same servers over Streamable HTTP: ours and the official SDK's, behind the same listener and with the
 * same client. Nothing is kept between requests: each request gets a new server.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { uiExtension } from "@vitrine/protocol";
import { mean, ms, quantile, shuffled, table, times } from "../statistics.mjs";
import { processorTime } from "./processor-time.mjs";

/** Maximum ratio to the official SDK alone. */
export const EXPECTED = 1.05;
const SERVERS = { official: "./plain-server.mjs", ours: "./ours-server.mjs" };
/** Both generations of MCP. In the older one, only the first request identifies the client. */
const GENERATIONS = [{ mode: "legacy" }, { mode: "auto" }];
const WARM_UP = 60;
const SAMPLES = 20;

/** Starts a listener and returns its URL; `open` collects the functions that stop it. */
async function listen(path, open) {
  const script = fileURLToPath(new URL("listener.mjs", import.meta.url));
  // A minimal environment, because ours is irrelevant to them.
  const child = spawn(process.execPath, [script, path], {
    env: { PATH: process.env.PATH },
    stdio: ["ignore", "pipe", "inherit"],
  });
  open.push(() => child.kill());
  const [url] = await once(child.stdout.setEncoding("utf8"), "data");
  return { url: new URL(url.trim()), pid: child.pid };
}

/** Requests to one server by a client of one generation. */
async function stepsOf(url, versionNegotiation) {
  const client = new Client(
    { name: "bench", version: "1.0.0" },
    { capabilities: { extensions: uiExtension() }, versionNegotiation },
  );
  await client.connect(new StreamableHTTPClientTransport(url));
  const version = client.getNegotiatedProtocolVersion();
  const { tools } = await client.listTools();
  const { name, _meta } = tools.find((tool) => tool.name === "tool-7");
  const uri = _meta.ui.resourceUri;
  // Our server sends a cache lifetime, and the client would not ask again.
  const always = { cacheMode: "bypass" };
  return {
    client,
    version,
    steps: {
      "tools/list": () => client.listTools({}, always),
      "tools/call": () => client.callTool({ name, arguments: { city: "Berne" } }),
      "resources/read": () => client.readResource({ uri }, always),
    },
  };
}

/** All requests: each step of each server, by each generation of client. */
async function questions(open) {
  const asked = [];
  for (const [id, path] of Object.entries(SERVERS)) {
    const { url, pid } = await listen(path, open);
    for (const negotiation of GENERATIONS) {
      const { client, version, steps } = await stepsOf(url, negotiation);
      open.unshift(() => client.close());
      for (const [step, request] of Object.entries(steps))
        asked.push({ id, pid, step: `${step}, MCP ${version}`, request, times: [], processor: [] });
    }
  }
  return asked;
}

/**
 * Sends both servers the same requests, alternately, so that other load on the machine affects both equally.
 * The processor time is that of all these requests.
 */
async function askBoth(pair) {
  const before = pair.map(({ pid }) => processorTime(pid));
  for (let n = 0; n < SAMPLES; n++) {
    for (const { request, times: noted } of shuffled(pair)) {
      const asked = performance.now();
      await request();
      noted.push(performance.now() - asked);
    }
  }
  for (const [at, { pid, processor }] of pair.entries())
    if (before[at] !== undefined) processor.push((processorTime(pid) - before[at]) / SAMPLES);
}

/** Measures `rounds` times. */
export async function measureHttp(rounds) {
  const open = [];
  try {
    const asked = await questions(open);
    for (const { request } of asked) for (let n = 0; n < WARM_UP; n++) await request();
    const names = [...new Set(asked.map(({ step }) => step))];
    const pairs = names.map((name) => asked.filter(({ step }) => step === name));
    for (let round = 0; round < rounds; round++) for (const pair of shuffled(pairs)) await askBoth(pair);
    return pairs.flatMap((pair) => [
      rowOf(pair[0].step, pair, ({ times: noted }) => quantile(noted, 0.5)),
      // The mean, because garbage collection falls into some of the rounds and is part of the cost.
      ...(pair[0].processor.length > 0
        ? [rowOf(`${pair[0].step}, processor, mean`, pair, ({ processor }) => mean(processor))]
        : []),
    ]);
  } finally {
    for (const close of open) await close();
  }
}

function rowOf(step, pair, summary) {
  const p50 = Object.fromEntries(pair.map((each) => [each.id, summary(each)]));
  return { step, p50, ratio: p50.ours / p50.official };
}

export const showHttp = (rows) =>
  table(
    ["p50, over HTTP, a server for each request", "official SDK", "@vitrine/server", "ours ÷ official"],
    rows.map(({ step, p50, ratio }) => [step, ms(p50.official), ms(p50.ours), times(ratio)]),
  );

/** Returns one line for each expectation that is not met. */
export const httpShortfalls = (rows) =>
  rows
    .filter(({ ratio }) => ratio > EXPECTED)
    .map(
      ({ step, ratio }) =>
        `over ${EXPECTED}×: a server of ours over HTTP, ${step} = ${times(ratio)} of the official SDK alone`,
    );
