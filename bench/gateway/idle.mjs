/**
 * What an idle browser session costs: bytes of the server's memory for each of 5,000 WebSockets that have said hello
 * and say nothing more. The server runs in a process of its own; the bare `ws` is measured beside it, in another.
 *
 *     npm run build && node bench/gateway/idle.mjs [connections]
 *
 * @module
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { WebSocket, WebSocketServer } from "ws";

const COUNT = Number(process.argv[2] ?? 5000);
const SERVERS = ["ws", "gateway"];
const settle = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The server's process: says its port, and how much memory it has whenever it is asked. */
async function serve(kind) {
  const server = createServer();
  if (kind === "ws") {
    const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
    server.on("upgrade", (request, socket, head) => {
      sockets.handleUpgrade(request, socket, head, (each) => each.on("message", () => each.send("welcome")));
    });
  } else {
    const sessions = new URL("../../packages/gateway/dist/sessions/", import.meta.url);
    const { SessionRegistry } = await import(new URL("registry.js", sessions));
    const { WebSocketCarriers } = await import(new URL("carriers/websocket.js", sessions));
    const handler = { onmessage() {}, onend() {} };
    const registry = new SessionRegistry({
      grace: 60_000,
      perUser: 100_000,
      total: 100_000,
      onerror: (cause) => console.error(cause),
      onsession: () => handler,
    });
    const carriers = new WebSocketCarriers(registry, { connections: 100_000 });
    server.on("upgrade", (request, socket, head) =>
      carriers.upgrade(request, socket, head, { user: "bench" }),
    );
  }
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  process.on("message", async () => {
    for (let n = 0; n < 3; n++) {
      globalThis.gc();
      await settle(100);
    }
    process.send({ rss: process.memoryUsage().rss, heap: process.memoryUsage().heapUsed });
  });
  process.send({ port: server.address().port });
}

async function connectAll(port, count, sockets) {
  const one = async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/`, { perMessageDeflate: false });
    sockets.push(socket);
    await once(socket, "open");
    socket.send('hello {"version":1,"received":0}');
    await once(socket, "message");
  };
  for (let made = 0; made < count; made += 50) await Promise.all(Array.from({ length: 50 }, one));
}

async function measure(kind) {
  const child = fork(fileURLToPath(import.meta.url), ["--serve", kind], { execArgv: ["--expose-gc"] });
  const [{ port }] = await once(child, "message");
  const memory = async () => {
    child.send("memory");
    const [used] = await once(child, "message");
    return used;
  };
  const sockets = [];
  // The first ones pay for what all share: code, buffers, tables.
  await connectAll(port, 500, sockets);
  const before = await memory();
  await connectAll(port, COUNT, sockets);
  const after = await memory();
  child.kill();
  await once(child, "exit");
  for (const socket of sockets) socket.terminate();
  return { rss: (after.rss - before.rss) / COUNT, heap: (after.heap - before.heap) / COUNT };
}

if (process.argv[2] === "--serve") await serve(process.argv[3]);
else {
  console.log(`bytes of memory for each of ${COUNT} idle connections`);
  for (const kind of SERVERS) {
    const { rss, heap } = await measure(kind);
    console.log(`${kind.padEnd(8)} ${Math.round(rss)} (heap ${Math.round(heap)})`);
  }
}
