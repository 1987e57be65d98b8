/**
 * HTTP clients of older MCP versions: each has a session, in which it is notified of changes.
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

/** Maximum sessions. Killed clients never end theirs, so the least recently used one is dropped. */
const MOST = 64;

/** Handles their requests. */
export class HttpSessions {
  readonly #companion: Companion;
  readonly #sessions = new Map<string, Session>();

  constructor(companion: Companion) {
    this.#companion = companion;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Handles one request. An unknown session gets an error, and the client starts another. */
  readonly fetch = async (request: Request): Promise<Response> => {
    const id = request.headers.get("mcp-session-id");
    if (id === null) return (await this.#begin()).handleRequest(request);
    const session = this.#sessions.get(id);
    if (!session) return refusal(404, -32001, "there is no such session: start another one with initialize");
    session.usedAt = performance.now();
    return session.transport.handleRequest(request);
  };

  async close(): Promise<void> {
    const all = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(all.map(({ server }) => server.close()));
  }

  /** The transport refuses a request without a handshake, and keeps no state for it. */
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

/** An error response without a request id: the request was not parsed. */
export const refusal = (status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status });
