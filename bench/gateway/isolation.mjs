/**
 * The cost of isolation: the time from the start of an official server until its answer to `initialize`, as
 * a plain process and in each driver that works here, in turn.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { probeDrivers } from "../../packages/servers/dist/isolation/drivers.js";
import { launch } from "../../packages/servers/dist/isolation/launch.js";
import { ms, shuffled, summary, table, times } from "../statistics.mjs";

const SERVER = fileURLToPath(
  new URL("../../node_modules/@modelcontextprotocol/server-basic-react/dist/index.js", import.meta.url),
);
const INITIALIZE = `${JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "bench", version: "1" },
  },
})}\n`;

const spec = (driver) => ({
  name: "bench",
  command: process.execPath,
  args: [SERVER, "--stdio"],
  env: {},
  isolation: {
    driver,
    network: false,
    read: [],
    write: [],
    memory: 2 ** 30,
    processes: 64,
    tmp: 2 ** 24,
  },
});

/** A plain child process, with the same small environment. */
function plain() {
  const { command, args } = spec("process");
  const child = spawn(command, args, { env: { PATH: process.env.PATH } });
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    stop: () =>
      new Promise((resolve) => {
        child.once("exit", resolve);
        child.kill("SIGKILL");
      }),
  };
}

async function sample(start) {
  const began = performance.now();
  const server = await start();
  server.stderr.resume();
  server.stdin.write(INITIALIZE);
  for await (const line of createInterface({ input: server.stdout })) {
    if (!JSON.parse(line).result) throw new Error(line);
    break;
  }
  const took = performance.now() - began;
  await server.stop(0);
  return took;
}

/** Maximum ratio to the median of a plain process. */
export const EXPECTED_ISOLATION = 1.1;

export async function measureIsolation(rounds = 20) {
  const reports = await probeDrivers();
  const contenders = { plain, process: () => launch(spec("process")) };
  if (reports.bubblewrap.works) contenders.bubblewrap = () => launch(spec("bubblewrap"));
  const samples = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  for (const start of Object.values(contenders)) await sample(start);
  for (let round = 0; round < rounds; round++) {
    for (const name of shuffled(Object.keys(contenders))) samples[name].push(await sample(contenders[name]));
  }
  const base = summary(samples.plain).p50;
  return Object.entries(samples).map(([name, list]) => {
    const { n, p50, p99 } = summary(list);
    return { name, n, p50, p99, ratio: p50 / base };
  });
}

export const showIsolation = (rows) =>
  table(
    ["", "p50", "p99", "p50 ÷ plain"],
    rows.map(({ name, p50, p99, ratio }) => [name, ms(p50), ms(p99), times(ratio)]),
  );

/** Returns one line for each expectation that is not met. */
export const isolationShortfalls = (rows) =>
  rows
    .filter(({ ratio }) => ratio > EXPECTED_ISOLATION)
    .map(({ name, ratio }) => `over ${EXPECTED_ISOLATION}×: start of a server in ${name} = ${times(ratio)}`);
