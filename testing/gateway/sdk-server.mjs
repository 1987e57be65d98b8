// A small server on the official SDK, for both generations. Its argument says which it speaks: `both`, `modern` or `legacy`.
import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const [generation = "both", where = "stdio"] = process.argv.slice(2);
const uri = "ui://sdk/page.html";

function makeServer() {
  const server = new McpServer(
    { name: "sdk", version: "1.0.0" },
    { capabilities: { tools: { listChanged: true } } },
  );
  const inputSchema = z.object({ text: z.string() });
  const _meta = { ui: { resourceUri: uri } };
  const echo = async ({ text }) => ({ content: [{ type: "text", text }] });
  server.registerTool("echo", { description: "says it again", inputSchema, _meta }, echo);
  server.registerTool("capabilities", { inputSchema: z.object({}) }, async (_, ctx) => {
    const envelope = ctx.mcpReq.envelope?.["io.modelcontextprotocol/clientCapabilities"];
    const capabilities = envelope ?? server.server.getClientCapabilities() ?? null;
    return { content: [{ type: "text", text: JSON.stringify(capabilities) }] };
  });
  server.registerTool("more", { inputSchema: z.object({}) }, async () => {
    server.registerTool("added", { inputSchema }, echo);
    return { content: [{ type: "text", text: "added" }] };
  });
  server.registerTool("steps", { inputSchema: z.object({}) }, async (_, ctx) => {
    const progressToken = ctx.mcpReq._meta?.progressToken;
    for (const progress of [1, 2, 3]) {
      await ctx.mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress } });
    }
    return { content: [{ type: "text", text: "three" }] };
  });
  const mimeType = "text/html;profile=mcp-app";
  server.registerResource("page", uri, { mimeType }, async () => ({
    contents: [{ uri, mimeType, text: "<!doctype html><p>page" }],
  }));
  return server;
}

if (where === "http") {
  const handle = toNodeHandler(
    createMcpHandler(makeServer, generation === "modern" ? { legacy: "reject" } : {}),
  );
  const listener = createServer(handle).listen(0, "127.0.0.1", () => {
    process.stdout.write(`${listener.address().port}\n`);
  });
} else if (generation === "legacy") {
  await makeServer().connect(new StdioServerTransport());
} else {
  serveStdio(makeServer, generation === "modern" ? { legacy: "reject" } : {});
}
