/**
 * Servers with twenty tools and views, over stdio behind the official client: start, list, call, read.
 *
 * @module
 */
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { uiExtension } from "@vitrine/protocol";
import { build } from "esbuild";
import { ROOT } from "../contenders.mjs";
import { ms, quantile, shuffled, table, times } from "../statistics.mjs";
import { HELD, HOLD, holding } from "./held.mjs";
import { startInstructions } from "./instructions.mjs";
import { processorTime } from "./processor-time.mjs";
import { XMCP, xmcpServer } from "./xmcp.mjs";

/** A plain start, and starts with more data held by the server. */
const START = "start";
const START_HOLDING = "start, with more held";
const STEPS = [
  ...[START, START_HOLDING].flatMap((step) => [step, `${step}, processor`]),
  ...["tools/list", "tools/call", "resources/read"],
];
/** Starts of each server in a round; a single one is unreliable on a shared machine. */
const STARTS = 5;
/** Warm-up requests: the steady speed counts, not the first answer. */
const WARM_UP = 2000;
/** Maximum ratio to the official SDK alone. */
export const EXPECTED = 1.05;

/** Our server as one minified file, like xmcp's output: only those two are comparable. */
async function bundled(folder) {
  const outfile = join(folder, "ours.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("ours.mjs", import.meta.url))],
    outfile,
    bundle: true,
    minify: true,
    format: "esm",
    platform: "node",
    target: "node20",
  });
  return outfile;
}

async function contenders(folder) {
  const here = (name) => fileURLToPath(new URL(name, import.meta.url));
  return {
    official: { label: "official SDK", path: here("plain.mjs") },
    ours: { label: "@vitrine/server", path: here("ours.mjs") },
    bundled: { label: "ours, bundled", path: await bundled(folder) },
    xmcp: { label: `xmcp ${XMCP}, compiled`, path: await xmcpServer() },
  };
}

/** A plain server, or one that holds so many kilobytes more. */
async function connect(path, held) {
  const client = new Client(
    { name: "bench", version: "1.0.0" },
    { capabilities: { extensions: uiExtension() }, versionNegotiation: { mode: "legacy" } },
  );
  // A minimal environment, because ours is irrelevant to them.
  const env = { PATH: process.env.PATH, ...(held !== undefined && holding(held)) };
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...(held === undefined ? [] : HOLD), path],
    env,
    stderr: "ignore",
  });
  await client.connect(transport);
  return { client, pid: transport.pid };
}

/** Starts a server and stops it. */
async function startAlone({ id, path }, step, held, note) {
  const began = performance.now();
  const { client, pid } = await connect(path, held);
  await client.listTools();
  note(id, step, performance.now() - began);
  note(id, `${step}, processor`, processorTime(pid));
  await client.close();
}

/** Starts a server and returns its possible requests. */
async function start({ id, path }) {
  const { client } = await connect(path);
  const { tools } = await client.listTools();
  const { name, _meta } = tools.find((tool) => tool.name === "tool-7");
  return {
    id,
    client,
    steps: {
      "tools/list": () => client.listTools(),
      "tools/call": () => client.callTool({ name, arguments: { city: "Berne" } }),
      "resources/read": () => client.readResource({ uri: _meta["ui/resourceUri"] }),
    },
  };
}

/**
 * Starts all servers one after the other and sends each the same requests in turn, so that other load on the
 * machine affects all equally.
 */
async function use(all, note) {
  const started = [];
  try {
    for (let turn = 0; turn < STARTS; turn++)
      for (const each of shuffled(all)) await startAlone(each, START, undefined, note);
    for (const held of HELD)
      for (const each of shuffled(all)) await startAlone(each, START_HOLDING, held, note);
    for (const each of shuffled(all)) started.push(await start(each));
    for (const step of ["tools/list", "tools/call", "resources/read"]) {
      for (const { steps } of started) for (let n = 0; n < WARM_UP; n++) await steps[step]();
      for (let turn = 0; turn < 10; turn++) {
        for (const { id, steps } of shuffled(started)) {
          for (let n = 0; n < 20; n++) {
            const asked = performance.now();
            await steps[step]();
            note(id, step, performance.now() - asked);
          }
        }
      }
    }
  } finally {
    for (const { client } of started) await client.close();
  }
}

/** Measures all servers in turn, `rounds` times. */
export async function measureStdio(rounds) {
  // Inside the repository, because bundled code may still import its packages.
  const folder = mkdtempSync(join(ROOT, "node_modules/.vitrine-bench-"));
  try {
    const all = Object.entries(await contenders(folder)).flatMap(([id, { label, path }]) =>
      path ? [{ id, label, path }] : [],
    );
    const samples = Object.fromEntries(all.map(({ id }) => [id, {}]));
    const [official, ours] = ["official", "ours"].map((wanted) => all.find(({ id }) => id === wanted).path);
    const counted = await startInstructions(official, ours);
    for (let round = 0; round < rounds; round++)
      await use(all, (id, step, time) => (samples[id][step] ??= []).push(time));
    return {
      labels: Object.fromEntries(all.map(({ id, label }) => [id, label])),
      steps: [...STEPS.flatMap((step) => rowOf(step, samples)), ...countedRow(counted)],
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * The median of each server, and of the ratios of consecutive measurements, because the speed of a shared
 * machine varies. Empty where a step could not be measured.
 */
function rowOf(step, samples) {
  const p50 = Object.fromEntries(
    Object.entries(samples).map(([id, steps]) => [id, quantile(steps[step], 0.5)]),
  );
  if (p50.ours === undefined) return [];
  const official = samples.official[step];
  const ratios = samples.ours[step].map((time, at) => time / official[at]).filter(Number.isFinite);
  return [{ step, p50, ratio: quantile(ratios, 0.5) }];
}

/** Counts instead of times; empty without a counter. */
const countedRow = (millions) =>
  millions ? [{ step: "start, instructions", millions, ratio: millions.ours / millions.official }] : [];

export const showStdio = ({ labels, steps }) =>
  table(
    ["p50, over stdio", ...Object.values(labels), "ours ÷ official"],
    steps.map(({ step, p50, millions, ratio }) => [
      step,
      ...Object.keys(labels).map((id) =>
        p50 ? ms(p50[id]) : millions[id] ? `${Math.round(millions[id])} M` : "",
      ),
      times(ratio),
    ]),
  );

/** Returns one line for each expectation that is not met. */
export const stdioShortfalls = ({ steps }) =>
  steps
    .filter(({ ratio }) => ratio > EXPECTED)
    .map(
      ({ step, ratio }) =>
        `over ${EXPECTED}×: a server of ours, ${step} = ${times(ratio)} of the official SDK alone`,
    );
