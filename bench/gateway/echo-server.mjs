/** A server with one tool that returns its input: over stdio, or with `--http` over Streamable HTTP. */
import { createServer } from "node:http";
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

function makeServer() {
  const server = new McpServer({ name: "echo", version: "1.0.0" });
  const inputSchema = z.object({ text: z.string() });
  const echo = async ({ text }) => ({ content: [{ type: "text", text }] });
  server.registerTool("echo", { inputSchema, annotations: { readOnlyHint: true } }, echo);
  server.registerTool("change", { inputSchema }, echo);
  const uri = "ui://echo/page";
  const mimeType = "text/html;profile=mcp-app";
  server.registerResource("page", uri, { mimeType }, async () => ({
    contents: [{ uri, mimeType, text: "<!doctype html><title>Echo</title>" }],
  }));
  return server;
}

if (process.argv.includes("--http")) {
  const { createMcpHandler } = await import("@modelcontextprotocol/server");
  const { toNodeHandler } = await import("@modelcontextprotocol/node");
  const handle = toNodeHandler(createMcpHandler(makeServer));
  const listener = createServer(handle).listen(0, "127.0.0.1", () => console.log(listener.address().port));
} else {
  await makeServer().connect(new StdioServerTransport());
}
