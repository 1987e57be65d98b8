/**
 * Serves any server over Streamable HTTP: `node listener.mjs ./ours-server.mjs`. Each request gets a new
 * server. Prints its URL on standard output.
 */
import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler } from "@modelcontextprotocol/server";

const { create } = await import(process.argv[2]);
const answer = toNodeHandler(createMcpHandler(create));
const listener = createServer((request, response) => void answer(request, response));
listener.listen(0, "127.0.0.1", () =>
  process.stdout.write(`http://127.0.0.1:${listener.address().port}/mcp\n`),
);
