// A server on the official SDK, version 1, whose tools send questions to the client: by requests, as in the
// first generation. The questions are taken unchanged from the tools' arguments; the answers are in their
// results. With the argument `http` it has one session over HTTP.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

const server = new McpServer({ name: "asking-v1", version: "1.0.0" }, { capabilities: { tools: {} } });
const text = (value) => ({ content: [{ type: "text", text: JSON.stringify(value) }] });
const asked = { method: z.string(), params: z.any() };

/** Outcome of a question. */
const answer = (work) =>
  work.then(
    (result) => ({ answer: result }),
    ({ code, message, data }) => ({ error: { code, message, data } }),
  );

server.registerTool(
  "ask",
  { inputSchema: { ...asked, timeout: z.number().optional() } },
  async (input, extra) => {
    const { method, params, timeout = 60_000 } = input;
    return text(await answer(extra.sendRequest({ method, params }, z.any(), { timeout })));
  },
);
// With a time limit, the SDK withdraws the question when time is up.
server.registerTool("flood", { inputSchema: { ...asked, count: z.number() } }, async (input, extra) => {
  const { method, params, count } = input;
  const ask = () => answer(extra.sendRequest({ method, params }, z.any(), { timeout: 20_000 }));
  return text(await Promise.all(Array.from({ length: count }, ask)));
});
server.registerTool("ask-and-end", { inputSchema: asked }, async ({ method, params }, extra) => {
  extra.sendRequest({ method, params }, z.any()).catch(() => {});
  setTimeout(() => process.exit(3), 300);
  return new Promise(() => {});
});
server.registerTool("complete", { inputSchema: { elicitationId: z.string() } }, async ({ elicitationId }) => {
  const method = "notifications/elicitation/complete";
  await server.server.notification({ method, params: { elicitationId } });
  return text("told");
});
server.registerTool("capabilities", { inputSchema: {} }, async () =>
  text(server.server.getClientCapabilities() ?? null),
);
if (process.argv[2] === "http") {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID });
  await server.connect(transport);
  const listener = createServer((request, response) => transport.handleRequest(request, response));
  listener.listen(0, "127.0.0.1", () => process.stdout.write(`${listener.address().port}\n`));
} else {
  await server.connect(new StdioServerTransport());
}
