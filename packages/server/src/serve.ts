/**
 * Serves a server as the command line says: by stdio, or by HTTP with `--http`.
 *
 * @module
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import type { McpHttpHandler } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { AppServer } from "./app-server.js";
import type { AnyTool } from "./tool.js";

/** Options of {@link serve}. */
export interface ServeOptions {
  /** What the command line says; that of this process by default. */
  readonly argv?: readonly string[] | undefined;
  /** Where it listens, with `--http`; only programs of this machine reach it by default. */
  readonly host?: string | undefined;
}

/** A server that is served. */
export interface Serving {
  /** Where, by HTTP. */
  readonly url?: string | undefined;
  close(): Promise<void>;
}

/**
 * Serves by stdio; with `--http` or `--http 3001` on the command line by Streamable HTTP, at `/mcp`.
 *
 * @example
 * ```ts source="./server.examples.ts#serve"
 * await serve(weather);
 * ```
 */
export async function serve(
  server: AppServer<readonly AnyTool[]>,
  { argv = process.argv.slice(2), host = "127.0.0.1" }: ServeOptions = {},
): Promise<Serving> {
  // What is wrong with a view is told now, and not when somebody asks for it.
  await server.create();
  // Not to standard output: that is for messages.
  for (const { message } of await server.advice()) process.stderr.write(`${message}\n`);
  const at = argv.indexOf("--http");
  return at < 0 ? serveStdio(server.create) : serveHttp(server, Number(argv[at + 1] ?? 0) || 0, host);
}

async function serveHttp(
  server: AppServer<readonly AnyTool[]>,
  port: number,
  host: string,
): Promise<Serving> {
  const handler = server.http();
  const listener = createServer((incoming, outgoing) => void answer(handler, incoming, outgoing));
  listener.listen(port, host);
  await once(listener, "listening");
  const { port: taken } = listener.address() as AddressInfo;
  return {
    url: `http://${host}:${taken}/mcp`,
    close: async () => {
      await handler.close();
      const closed = once(listener, "close");
      listener.close();
      listener.closeAllConnections();
      await closed;
    },
  };
}

async function answer(
  handler: McpHttpHandler,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  try {
    if (!isMeant(incoming))
      return void outgoing.writeHead(403).end("this server answers to its own address alone");
    if (incoming.url?.split("?", 1)[0] !== "/mcp")
      return void outgoing.writeHead(404).end("there is nothing here: try /mcp");
    const response = await handler.fetch(requestOf(incoming, outgoing));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    if (response.body) await pipeline(Readable.fromWeb(response.body as ReadableStream), outgoing);
    else outgoing.end();
  } catch {
    // The other end is gone, or sent what is no request.
    if (outgoing.headersSent) outgoing.destroy();
    else outgoing.writeHead(400).end();
  }
}

/** A page of another site can lead its name to this machine: then the name is another. Behind a proxy the proxy checks. */
function isMeant({ headers, socket }: IncomingMessage): boolean {
  const isLocal = /^(::ffff:)?127\.|^::1$/.test(socket.localAddress ?? "");
  return !isLocal || /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(headers.host ?? "");
}

function requestOf(incoming: IncomingMessage, outgoing: ServerResponse): Request {
  const { method = "GET", url = "/", headers } = incoming;
  const controller = new AbortController();
  outgoing.on("close", () => {
    if (!outgoing.writableFinished) controller.abort();
  });
  const given = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(`http://${headers.host}${url}`, {
    method,
    headers: given,
    signal: controller.signal,
    ...(hasBody && { body: Readable.toWeb(incoming) as never, duplex: "half" }),
  } as RequestInit);
}
