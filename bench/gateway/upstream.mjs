/**
 * The cost of a tool call through the gateway's connection to a stdio server, compared with the official
 * client on the same server: 1 KB there and back, one after the other, in turns.
 *
 * `node bench/gateway/upstream.mjs [calls]`, after `npm run build`.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { launch } from "../../packages/servers/dist/isolation/launch.js";
import { ServerPool } from "../../packages/servers/dist/pool.js";
import { summary } from "../statistics.mjs";

const calls = Number(process.argv[2] ?? 2_000);
const script = fileURLToPath(new URL("./echo-server.mjs", import.meta.url));
const params = { name: "echo", arguments: { text: "x".repeat(1_000) } };
const mib = 2 ** 20;

async function direct() {
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [script] }));
  return { call: () => client.callTool(params), close: () => client.close() };
}

async function throughPool() {
  const isolation = {
    driver: "process",
    network: true,
    read: [],
    write: [],
    memory: 1024 * mib,
    processes: 100,
    tmp: mib,
  };
  const transport = { type: "stdio", command: process.execPath, args: [script], env: {}, isolation };
  const limits = {
    sizes: {},
    rates: {},
    concurrency: {},
    timeout: 60_000,
    startTimeout: 60_000,
    idle: 0,
    message: 64 * mib,
  };
  const settings = {
    name: "echo",
    transport,
    start: "lazy",
    stateless: false,
    idempotent: [],
    schemes: [],
    limits,
  };
  const pool = new ServerPool({ launch });
  pool.update(new Map([["echo", settings]]));
  const { upstream } = pool.get("me", "echo");
  return { call: () => upstream.request("tools/call", params), close: () => pool.close(0) };
}

const contenders = { official: await direct(), upstream: await throughPool() };
const times = { official: [], upstream: [] };
for (let round = 0; round < 20; round++) {
  for (const [name, { call }] of Object.entries(contenders)) {
    for (let n = 0; n < calls / 20; n++) {
      const began = performance.now();
      await call();
      // The first rounds warm up.
      if (round > 4) times[name].push(performance.now() - began);
    }
  }
}
for (const { close } of Object.values(contenders)) await close();
const official = summary(times.official);
const upstream = summary(times.upstream);
const us = (milliseconds) => `${Math.round(milliseconds * 1_000)} µs`;
for (const [name, { p50, p99 }] of Object.entries({ official, upstream })) {
  process.stdout.write(`${name}: p50 ${us(p50)}, p99 ${us(p99)}\n`);
}
process.stdout.write(
  `ratio: p50 ${(upstream.p50 / official.p50).toFixed(2)}, p99 ${(upstream.p99 / official.p99).toFixed(2)}\n`,
);
