/**
 * The cost of an idle browser session: memory of the whole gateway for each of 10,000 WebSockets whose page has said hello,
 * asked for its servers, and got the answer. A plain `ws` server is measured for comparison. Each runs in its own process, and memory
 * is read after a garbage collection.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { WebSocket } from "ws";
import { count, table } from "../statistics.mjs";
import { openStage } from "./stage.mjs";

const COUNT = Number(process.env.BENCH_IDLE ?? 10_000);
/** Maximum bytes per connection. */
export const EXPECTED_IDLE = 12_000;
const PROBE = fileURLToPath(new URL("./memory-probe.mjs", import.meta.url));

const BARE = `import { createServer } from "node:http";
import { WebSocketServer } from "ws";
const server = createServer();
const sockets = new WebSocketServer({ server, perMessageDeflate: false });
sockets.on("connection", (socket) => socket.on("message", () => socket.send("welcome")));
server.listen(0, "127.0.0.1", () => console.log(server.address().port));`;

const HELLO = 'hello {"version":1,"received":0}';
const SERVERS = '1 0 . {"jsonrpc":"2.0","id":"idle.1","method":"gateway/servers","params":{}}';

/** The memory of a process after a garbage collection. */
async function memoryOf({ pid, file }) {
  rmSync(file, { force: true });
  process.kill(pid, "SIGUSR2");
  while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 100));
  return JSON.parse(readFileSync(file, "utf8"));
}

export async function connectAll(url, headers, many, sockets) {
  const one = async () => {
    const socket = new WebSocket(url, { headers, perMessageDeflate: false });
    sockets.push(socket);
    await once(socket, "open");
    for (const [sent, answered] of [
      [HELLO, () => true],
      [SERVERS, (text) => text.includes("result") || text === "welcome"],
    ]) {
      const answer = new Promise((resolve) => {
        const read = (data) => {
          if (!answered(String(data))) return;
          socket.off("message", read);
          resolve();
        };
        socket.on("message", read);
      });
      socket.send(sent);
      await answer;
    }
    // As a page acknowledges what it has received.
    socket.send("- 1");
  };
  for (let made = 0; made < many; made += 50) await Promise.all(Array.from({ length: 50 }, one));
}

async function grown(probed, url, headers) {
  const sockets = [];
  // The first connections pay for what all share: code, buffers, tables.
  await connectAll(url, headers, 1000, sockets);
  const before = await memoryOf(probed);
  await connectAll(url, headers, COUNT, sockets);
  const after = await memoryOf(probed);
  for (const socket of sockets) socket.terminate();
  return { rss: (after.rss - before.rss) / COUNT, heap: (after.heapUsed - before.heapUsed) / COUNT };
}

export async function measureIdle() {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-idle-"));
  const file = join(folder, "memory.json");
  const env = { ...process.env, MEMORY_FILE: file };
  const importProbe = ["--import", pathToFileURL(PROBE).href];
  try {
    const bare = spawn(process.execPath, [...importProbe, "--input-type=module", "-e", BARE], {
      stdio: ["ignore", "pipe", "inherit"],
      cwd: new URL("../..", import.meta.url),
      env,
    });
    const port = await new Promise((resolve) => bare.stdout.once("data", (data) => resolve(Number(data))));
    const ws = await grown({ pid: bare.pid, file }, `ws://127.0.0.1:${port}/`, {});
    bare.kill();
    const stage = await openStage({ session: { perUser: 2 * COUNT } }, { node: importProbe, env });
    try {
      const url = `${stage.origin.replace("http", "ws")}/api/session`;
      return { ws, gateway: await grown({ pid: stage.pid, file }, url, stage.headers) };
    } finally {
      await stage.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const showIdle = ({ ws, gateway }) =>
  table(
    ["", "bytes each", "of these, JavaScript heap"],
    [
      ["bare ws", count(Math.round(ws.rss)), count(Math.round(ws.heap))],
      ["gateway", count(Math.round(gateway.rss)), count(Math.round(gateway.heap))],
    ],
  );

/** Returns one line for each expectation that is not met. */
export const idleShortfalls = ({ gateway }) =>
  gateway.rss > EXPECTED_IDLE
    ? [`over ${count(EXPECTED_IDLE)} bytes for each idle connection: ${count(Math.round(gateway.rss))}`]
    : [];
