/**
 * Serves a server by Streamable HTTP, whoever made it: `node listener.mjs ./ours-server.mjs`. For each request one is made
 * anew. Says where it listens on standard output.
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
