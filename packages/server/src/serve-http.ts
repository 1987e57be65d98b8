/**
 * Serves HTTP, by default only to this machine.
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
import { DefinitionError } from "./errors.js";

/** Serves a handler of the official SDK at `/mcp`. */
export async function serveHttp(
  handler: McpHttpHandler,
  port: number,
  host: string,
): Promise<{ url: string; close(): Promise<void> }> {
  const listener = createServer((incoming, outgoing) => void answer(handler, incoming, outgoing));
  listener.listen(port, host);
  await once(listener, "listening").catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== "EADDRINUSE") throw cause;
    const message = `port ${port} is in use: choose another, or use --http without a number for a free one`;
    throw new DefinitionError("port-in-use", message, { cause });
  });
  const { port: taken } = listener.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${taken}/mcp`,
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
      return void outgoing.writeHead(403).end("this server answers only requests to its own address");
    if (incoming.url?.split("?", 1)[0] !== "/mcp")
      return void outgoing.writeHead(404).end("nothing here: try /mcp");
    const response = await handler.fetch(requestOf(incoming, outgoing));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    if (response.body) await pipeline(Readable.fromWeb(response.body as ReadableStream), outgoing);
    else outgoing.end();
  } catch {
    // The client disconnected, or sent an invalid request.
    if (outgoing.headersSent) outgoing.destroy();
    else outgoing.writeHead(400).end();
  }
}

/**
 * Protects against other sites and DNS rebinding: a browser sends the page's origin, or a wrong host name.
 * Behind a proxy, the proxy must check.
 */
function isMeant({ headers, socket }: IncomingMessage): boolean {
  const isLocal = /^(::ffff:)?127\.|^::1$/.test(socket.localAddress ?? "");
  const here = /^(https?:\/\/)?(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;
  return !isLocal || [headers.host ?? "", headers.origin ?? "localhost"].every((each) => here.test(each));
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
