/**
 * The cost of an idle browser session: memory of the whole gateway for each of 5,000 WebSockets that have
 * said hello and nothing more. A plain `ws` server is measured for comparison. Each runs in its own process.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { WebSocket } from "ws";
import { count, table } from "../statistics.mjs";
import { openStage } from "./stage.mjs";

const COUNT = 5000;
/** Maximum bytes per connection. */
export const EXPECTED_IDLE = 12_000;

const BARE = `import { createServer } from "node:http";
import { WebSocketServer } from "ws";
const server = createServer();
const sockets = new WebSocketServer({ server, perMessageDeflate: false });
sockets.on("connection", (socket) => socket.on("message", () => socket.send("welcome")));
server.listen(0, "127.0.0.1", () => console.log(server.address().port));`;

const memoryOf = (pid) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) * 1024;
const settle = () => new Promise((resolve) => setTimeout(resolve, 3000));

async function connectAll(url, headers, many, sockets) {
  const one = async () => {
    const socket = new WebSocket(url, { headers, perMessageDeflate: false });
    sockets.push(socket);
    await once(socket, "open");
    socket.send('hello {"version":1,"received":0}');
    await once(socket, "message");
  };
  for (let made = 0; made < many; made += 50) await Promise.all(Array.from({ length: 50 }, one));
}

async function grown(pid, url, headers) {
  const sockets = [];
  // The first connections pay for what all share: code, buffers, tables.
  await connectAll(url, headers, 500, sockets);
  await settle();
  const before = memoryOf(pid);
  await connectAll(url, headers, COUNT, sockets);
  await settle();
  const after = memoryOf(pid);
  for (const socket of sockets) socket.terminate();
  return (after - before) / COUNT;
}

export async function measureIdle() {
  const bare = spawn(process.execPath, ["--input-type=module", "-e", BARE], {
    stdio: ["ignore", "pipe", "inherit"],
    cwd: new URL("../..", import.meta.url),
  });
  const port = await new Promise((resolve) => bare.stdout.once("data", (data) => resolve(Number(data))));
  const ws = await grown(bare.pid, `ws://127.0.0.1:${port}/`, {});
  bare.kill();
  const stage = await openStage();
  try {
    const url = `${stage.origin.replace("http", "ws")}/api/session`;
    return { ws, gateway: await grown(stage.pid, url, stage.headers) };
  } finally {
    await stage.close();
  }
}

export const showIdle = ({ ws, gateway }) =>
  table(
    ["", "bytes each"],
    [
      ["bare ws", count(Math.round(ws))],
      ["gateway", count(Math.round(gateway))],
    ],
  );

/** Returns one line for each expectation that is not met. */
export const idleShortfalls = ({ gateway }) =>
  gateway > EXPECTED_IDLE
    ? [`over ${count(EXPECTED_IDLE)} bytes for each idle connection: ${count(Math.round(gateway))}`]
    : [];
