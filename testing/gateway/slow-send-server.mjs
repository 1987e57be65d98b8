// A server with a tool `send`: `node slow-send-server.mjs <name> <milliseconds before it lists its tools> <file>`.
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";

const [name, delay, file] = process.argv.slice(2);
const ANSWERS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion: protocolVersion ?? "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name, version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": async () => {
    await wait(Number(delay));
    return { tools: [{ name: "send", inputSchema: { type: "object" } }] };
  },
  "tools/call": ({ arguments: input }) => {
    appendFileSync(file, `${name} ${JSON.stringify(input)}\n`);
    return { content: [{ type: "text", text: name }] };
  },
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined || method === undefined) continue;
  const answer = Object.hasOwn(ANSWERS, method)
    ? { result: await ANSWERS[method](params) }
    : { error: { code: -32601, message: `there is no method ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`);
}
