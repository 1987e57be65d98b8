/**
 * An MCP server that answers every tool call with the `_meta` that it got. As a program over standard streams; with the
 * argument `http` it listens on loopback, prints its address, and adds the header `traceparent`.
 */
import { createServer } from "node:http";
import { createInterface } from "node:readline";

function answer({ id, method, params }, header) {
  const result = resultOf(method, params, header);
  if (id === undefined) return undefined;
  return result
    ? { jsonrpc: "2.0", id, result }
    : { jsonrpc: "2.0", id, error: { code: -32601, message: "unknown method" } };
}

function resultOf(method, params, header) {
  const tool = (name) => ({ name, inputSchema: { type: "object" }, annotations: { readOnlyHint: true } });
  if (method === "initialize")
    return {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "echo", version: "1.0.0" },
    };
  if (method === "tools/list") return { tools: [tool("meta"), tool("exit")] };
  if (method !== "tools/call") return undefined;
  if (params.name === "exit") process.exit(1);
  return { content: [{ type: "text", text: JSON.stringify({ meta: params._meta, header }) }] };
}

if (process.argv[2] === "http") {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const said =
      request.method === "POST" ? answer(JSON.parse(body), request.headers.traceparent) : undefined;
    if (request.method !== "POST") response.writeHead(405).end();
    else if (said) response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(said));
    else response.writeHead(202).end();
  });
  server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
} else {
  for await (const line of createInterface({ input: process.stdin })) {
    const said = answer(JSON.parse(line));
    if (said) console.log(JSON.stringify(said));
  }
}
