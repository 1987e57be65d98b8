/** An MCP server over HTTP, written by hand, that misbehaves as a test wants. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A received message. */
export interface Received {
  id?: number | string;
  method?: string;
  params?: Record<string, unknown>;
  headers: IncomingMessage["headers"];
}

/** Answers a message; returns false for the usual answer. */
export type Answer = (message: Received, response: ServerResponse) => boolean | Promise<boolean>;

export interface HttpServer {
  readonly url: string;
  /** Received messages, in order. */
  readonly received: Received[];
  /** The session that is known. */
  session: string;
  /** Behaviour that replaces the usual one; set by tests. */
  answer: Answer;
  /** Handles GET; no stream by default. */
  stream: (request: IncomingMessage, response: ServerResponse) => void;
  /** Tool calls that it has run. */
  calls: number;
  close(): Promise<void>;
}

/** Answers with JSON. */
export const sendJson = (response: ServerResponse, id: unknown, result: unknown): void => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
};

export const textResult = (text: string): object => ({ content: [{ type: "text", text }] });

/** Starts a server of the first generation, with sessions, on loopback. */
export async function startHttpServer(host = "127.0.0.1"): Promise<HttpServer> {
  let sessions = 0;
  const listener = createServer(async (request, response) => {
    if (request.method === "GET") return server.stream(request, response);
    if (request.method === "DELETE") return void response.writeHead(200).end();
    let body = "";
    for await (const chunk of request) body += chunk;
    const message = { ...(JSON.parse(body) as Received), headers: request.headers };
    server.received.push(message);
    if (await server.answer(message, response)) return;
    usual(message, response);
  });
  const usual = ({ id, method, params, headers }: Received, response: ServerResponse): void => {
    if (method === "initialize") {
      server.session = `session-${++sessions}`;
      response.setHeader("mcp-session-id", server.session);
      const serverInfo = { name: "by hand", version: "1.0.0" };
      const protocolVersion = params?.["protocolVersion"];
      sendJson(response, id, { protocolVersion, capabilities: { tools: {} }, serverInfo });
    } else if (method === "server/discover") response.writeHead(400).end("no session");
    else if (headers["mcp-session-id"] !== server.session) response.writeHead(404).end();
    else if (id === undefined) response.writeHead(202).end();
    else if (method === "tools/list") sendJson(response, id, { tools: [] });
    else {
      server.calls++;
      sendJson(response, id, textResult("done"));
    }
  };
  const server: HttpServer = {
    url: "",
    received: [],
    session: "",
    answer: () => false,
    stream: (_, response) => void response.writeHead(405).end(),
    calls: 0,
    close: () =>
      new Promise((resolve) => {
        listener.close(() => resolve());
        listener.closeAllConnections();
      }),
  };
  await new Promise<void>((resolve) => listener.listen(0, host, resolve));
  const { port } = listener.address() as AddressInfo;
  return Object.assign(server, { url: `http://${host}:${port}/mcp` });
}
