/** A server whose messages are valid JSON, and hostile: nested too deep, of the wrong type, or unrequested. */
import { createInterface } from "node:readline";

const deep = `${"[".repeat(30_000)}${"]".repeat(30_000)}`;
const send = (text) => process.stdout.write(`${text}\n`);
const answer = (id, result) => send(JSON.stringify({ jsonrpc: "2.0", id, result }));
let calls = 0;

const TOOLS = {
  /** An error with data that cannot be serialized again. */
  "deep-error": (id) =>
    send(`{"jsonrpc":"2.0","id":${id},"error":{"code":-32000,"message":"x","data":${deep}}}`),
  /** A result with such data. */
  "deep-result": (id) =>
    send(`{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":{"a":${deep}}}}`),
  /** An error whose message cannot be converted to text. */
  "odd-error": (id) => send(`{"jsonrpc":"2.0","id":${id},"error":{"code":1,"message":{"toString":1}}}`),
  /** An answer to a request that the client never made, before the right one. */
  unasked: (id) => {
    send(`{"jsonrpc":"2.0","id":0,"result":{"a":${deep}}}`);
    send(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"a":${deep}}}`);
    // More values than a client should turn into objects.
    send(`{"jsonrpc":"2.0","method":"notifications/message","params":[${"[],".repeat(2_000_000)}0]}`);
    answer(JSON.parse(id), { content: [] });
  },
  count: (id) => answer(JSON.parse(id), { content: [{ type: "text", text: `${++calls}` }] }),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const tools = Object.keys(TOOLS).map((name) => ({ name, inputSchema: { type: "object" } }));
  const serverInfo = { name: "hostile", version: "1.0.0" };
  if (method === "initialize")
    answer(id, { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo });
  else if (method === "tools/list") answer(id, { tools });
  else if (method === "tools/call") TOOLS[params.name](JSON.stringify(id));
  else send(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } }));
});
