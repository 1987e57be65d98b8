/** Known faults of servers: each has a message with a solution, and a counter. */
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { FAULTY, nodeServer, serverSettings } from "../../../testing/gateway/servers.ts";
import { noteFaults } from "../../gateway/src/gateway/notes.ts";
import { createLog } from "../../gateway/src/http/logging.ts";
import { Metrics } from "../../gateway/src/http/metrics.ts";
import { gatewayMetrics } from "../../gateway/src/http/metrics-gateway.ts";
import { explainExit, explainSpawn } from "./exit-cause.js";
import { launch } from "./isolation/launch.js";
import { ServerPool } from "./pool.js";
import type { StdioSettings } from "./settings.js";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A server in a pool, as in the gateway, with its counters and log. */
function open(transport: StdioSettings) {
  const metrics = new Metrics();
  const { serverFaults } = gatewayMetrics(metrics);
  const logged: string[] = [];
  const log = createLog({ stream: { write: (line) => void logged.push(JSON.parse(line).msg) } });
  const pool = new ServerPool({ launch });
  pool.onCreate((server, user) => noteFaults(server, user, { log, serverFaults }));
  cleanups.push(() => pool.close(0));
  pool.update(new Map([["shop", serverSettings("shop", transport)]]));
  const counted = () =>
    metrics
      .text()
      .split("\n")
      .filter((line) => line.startsWith("vitrine_server_faults_total{"));
  return { server: pool.get("me", "shop"), counted, logged };
}

const script = (code: string): StdioSettings => ({ ...nodeServer("-e"), args: ["-e", code] });

describe("a server that cannot start", () => {
  it("because its port is in use names the port and the solution", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    cleanups.push(() => other.close());
    const { port } = other.address() as AddressInfo;
    const { server, counted } = open(script(`require("net").createServer().listen(${port}, "127.0.0.1")`));
    await expect(server.start()).rejects.toThrow(
      `a port that it listens on (${port}) is in use. End the program`,
    );
    expect(server.status.problem).toMatchObject({ code: "server-failed", fault: "port-in-use" });
    expect(counted()).toEqual(['vitrine_server_faults_total{server="shop",fault="port-in-use"} 1']);
  });

  it.runIf(process.platform === "linux")("because it opened too many files reports that", async () => {
    const code = `const { openSync } = require("fs"); for (;;) openSync("/dev/null");`;
    const command = `ulimit -n 64; exec "${process.execPath}" -e '${code}'`;
    const { server, counted } = open({ ...script(""), command: "sh", args: ["-c", command] });
    await expect(server.start()).rejects.toThrow("too many files are open. Raise the limit for the gateway");
    expect(counted()).toEqual(['vitrine_server_faults_total{server="shop",fault="too-many-files"} 1']);
  });

  it.runIf(process.platform === "linux")("because it exceeds its memory limit reports that", async () => {
    const code = `const held = []; setInterval(() => held.push(Buffer.alloc(5e6, 1)), 20);`;
    const transport = script(code);
    const { server, counted } = open({
      ...transport,
      isolation: { ...transport.isolation, memory: 100e6 },
    });
    await expect(server.start()).rejects.toThrow(
      'it used more memory than allowed. Raise "isolation.memory" (100 MB)',
    );
    expect(counted()).toEqual(['vitrine_server_faults_total{server="shop",fault="out-of-memory"} 1']);
  });
});

describe("a running server", () => {
  it("that is killed may have run out of memory", async () => {
    const { server, counted } = open(nodeServer(FAULTY));
    await server.start();
    process.kill(server.status.pid ?? 0, "SIGKILL");
    await expect.poll(() => server.status.problem?.message).toMatch(/it was killed, as when memory runs out/);
    expect(counted()).toEqual(['vitrine_server_faults_total{server="shop",fault="out-of-memory"} 1']);
  });

  it("that prints garbage is counted once per start, and logged", async () => {
    const { server, counted, logged } = open(nodeServer(FAULTY));
    await server.upstream.request("tools/call", { name: "garbage", arguments: {} }).catch(() => {});
    await expect.poll(counted).toEqual(['vitrine_server_faults_total{server="shop",fault="garbage"} 1']);
    expect(logged).toEqual([expect.stringContaining("make it write them to stderr")]);
  });
});

it("explains errors of other runtimes, and limits of the gateway itself", () => {
  const failed = { code: 1, signal: null };
  expect(explainExit(failed, "OSError: [Errno 98] Address already in use")).toMatchObject({
    fault: "port-in-use",
  });
  expect(explainExit(failed, "java.lang.OutOfMemoryError: Java heap space")).toMatchObject({
    fault: "out-of-memory",
  });
  expect(explainExit({ code: 137, signal: null }, "", { memory: 1e9, cpuSeconds: 5 }).message).toContain(
    'Raise "isolation.memory" (1000 MB), or "isolation.cpuSeconds" (5)',
  );
  expect(explainExit({ code: 0, signal: null }, "EMFILE")).toEqual({
    message: "the server ended with code 0",
  });
  expect(explainExit(failed, "anything else")).toEqual({ message: "the server ended with code 1" });
  expect(explainSpawn(Object.assign(new Error("spawn node EMFILE"), { code: "EMFILE" }))?.fault).toBe(
    "too-many-files",
  );
  expect(explainSpawn(new Error("spawn node EACCES"))).toBeUndefined();
});
