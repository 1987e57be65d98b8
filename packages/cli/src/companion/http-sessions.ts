/**
 * Clients of the older generation of MCP over HTTP: each has a session, in which it is told of changes.
 *
 * @module
 */
import { randomUUID } from "node:crypto";
import { type Server, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { Companion } from "./companion.js";
import { companionServer } from "./companion-server.js";
import { MAX_MESSAGE } from "./serving.js";

interface Session {
  readonly server: Server;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  usedAt: number;
}

/** Sessions at a time: clients that are killed never end theirs, and the one that was used least lately goes. */
const MOST = 64;

/** Answers their requests. */
export class HttpSessions {
  readonly #companion: Companion;
  readonly #sessions = new Map<string, Session>();

  constructor(companion: Companion) {
    this.#companion = companion;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Answers one request. A session that is not known any more is told so, and the client begins another one. */
  readonly fetch = async (request: Request): Promise<Response> => {
    const id = request.headers.get("mcp-session-id");
    if (id === null) return (await this.#begin()).handleRequest(request);
    const session = this.#sessions.get(id);
    if (!session) return refusal(404, -32001, "there is no such session: begin another one with initialize");
    session.usedAt = performance.now();
    return session.transport.handleRequest(request);
  };

  async close(): Promise<void> {
    const all = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(all.map(({ server }) => server.close()));
  }

  /** What does not begin with a handshake is refused by the transport, and nothing is kept of it. */
  async #begin(): Promise<WebStandardStreamableHTTPServerTransport> {
    const server = companionServer(this.#companion, { isLasting: true, isModern: false });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      maxRequestBodySize: MAX_MESSAGE,
      onsessioninitialized: (id) => {
        this.#sessions.set(id, { server, transport, usedAt: performance.now() });
        this.#tidy();
      },
      onsessionclosed: (id) => void this.#sessions.delete(id),
    });
    await server.connect(transport);
    return transport;
  }

  #tidy(): void {
    if (this.#sessions.size <= MOST) return;
    const [oldest] = [...this.#sessions].sort(([, a], [, b]) => a.usedAt - b.usedAt);
    if (!oldest) return;
    this.#sessions.delete(oldest[0]);
    void oldest[1].server.close();
  }
}

/** An answer without a request's id: the request was not looked at. */
export const refusal = (status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status });
