/**
 * The smallest possible gateway: a WebSocket on one side, a server's stdio on the other, with the ids
 * translated. It checks nothing and records nothing, so its time is the floor. `node relay.mjs SERVER.mjs`
 * prints its port.
 */
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { WebSocketServer } from "ws";

const server = spawn(process.execPath, [process.argv[2]], { stdio: ["pipe", "pipe", "ignore"] });
const waiting = new Map();
let last = 0;
const write = (message) => server.stdin.write(`${JSON.stringify(message)}\n`);
const ask = (message, answer) => {
  waiting.set(++last, answer);
  write({ ...message, id: last });
};
createInterface({ input: server.stdout }).on("line", (line) => {
  const message = JSON.parse(line);
  waiting.get(message.id)?.(message);
  waiting.delete(message.id);
});
const listener = createServer();
new WebSocketServer({ server: listener, perMessageDeflate: false }).on("connection", (socket) => {
  socket.on("message", (data) => {
    const message = JSON.parse(data);
    ask(message, (answer) => socket.send(JSON.stringify({ ...answer, id: message.id })));
  });
});
const clientInfo = { name: "relay", version: "1.0.0" };
const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
ask({ jsonrpc: "2.0", method: "initialize", params }, () => {
  write({ jsonrpc: "2.0", method: "notifications/initialized" });
  listener.listen(0, "127.0.0.1", () => console.log(listener.address().port));
});
process.on("SIGTERM", () => {
  server.kill();
  process.exit();
});
