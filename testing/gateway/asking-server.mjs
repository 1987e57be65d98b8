// A server on the official SDK, version 2, whose tools send questions to the client. Its arguments choose the
// protocol generation (`both`, `modern` or `legacy`) and the transport (`stdio` or `http`). The questions are
// taken unchanged from the tools' arguments.
import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const [generation = "both", where = "stdio"] = process.argv.slice(2);
const text = (value) => ({ content: [{ type: "text", text: JSON.stringify(value) }] });

function makeServer() {
  const server = new McpServer({ name: "asking", version: "2.0.0" }, { capabilities: { tools: {} } });
  const inputSchema = z.object({ method: z.string(), params: z.any() });
  // Asks once, by its result; the SDK turns that into requests for clients of the first generation.
  server.registerTool("ask", { inputSchema }, async ({ method, params }, ctx) => {
    const { inputResponses, requestState } = ctx.mcpReq;
    if (inputResponses) return text({ answer: inputResponses.it, state: requestState() });
    return { resultType: "input_required", inputRequests: { it: { method, params } }, requestState: "mine" };
  });
  server.registerTool("endless", { inputSchema }, async ({ method, params }) => ({
    resultType: "input_required",
    inputRequests: { it: { method, params } },
  }));
  server.registerTool("capabilities", { inputSchema: z.object({}) }, async (_, ctx) => {
    const envelope = ctx.mcpReq.envelope?.["io.modelcontextprotocol/clientCapabilities"];
    return text(envelope ?? server.server.getClientCapabilities() ?? null);
  });
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
