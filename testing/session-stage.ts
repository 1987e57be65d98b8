/**
 * Browser sessions over a real listener, with a simple service behind them that records and answers every
 * request. Between pages and listener is a line that a test can cut, freeze or slow down.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server as NetServer,
  type Socket,
} from "node:net";
import { buffer } from "node:stream/consumers";
import { type Answered, write } from "../packages/gateway/src/http/answer.ts";
import type { Caller } from "../packages/gateway/src/http/api.ts";
import {
  type AboutSession,
  type BrowserSession,
  SessionRegistry,
  type SessionRegistryOptions,
} from "../packages/gateway/src/sessions/registry.ts";
import {
  HttpTransports,
  type HttpTransportsOptions,
} from "../packages/gateway/src/sessions/transports/http.ts";
import {
  WebSocketTransports,
  type WebSocketTransportsOptions,
} from "../packages/gateway/src/sessions/transports/websocket.ts";

/** A request that reached the gateway. */
export interface Noted {
  session: string;
  channel: string;
  id: unknown;
  method: string;
  params: Record<string, unknown>;
}

export interface SessionStageOptions extends WebSocketTransportsOptions, HttpTransportsOptions {
  registry?: Partial<SessionRegistryOptions>;
  /** Pages by path. */
  pages?: Record<string, string>;
  port?: number;
}

export class SessionStage {
  readonly noted: Noted[] = [];
  readonly sessions: BrowserSession[] = [];
  readonly abouts: AboutSession[] = [];
  readonly events: string[] = [];
  readonly errors: unknown[] = [];
  /** Whether transports reported use to the authentication. */
  readonly met: boolean[] = [];
  /** The answer to a request; undefined for no answer. */
  answer: (noted: Noted, session: BrowserSession) => unknown = ({ params }) => params;
  /** Whether WebSockets are let through; some proxies block them. */
  letsSockets = true;
  isAuthorized = true;
  readonly registry: SessionRegistry;
  readonly sockets: WebSocketTransports;
  readonly http: HttpTransports;
  readonly #server;
  readonly #proxy;
  readonly #lines = new Set<[client: Socket, server: Socket]>();

  private constructor(options: SessionStageOptions) {
    this.registry = new SessionRegistry({
      grace: 60_000,
      perUser: 100,
      ...options.registry,
      onerror: (cause) => this.errors.push(cause),
      onsession: (session, about) => {
        this.sessions.push(session);
        this.abouts.push(about);
        return {
          onmessage: (channel, text) => this.#receive(session, channel, text),
          onfresh: () => this.events.push(`fresh ${session.user}`),
          ondrain: () => this.events.push("drain"),
          onend: (reason) => this.events.push(`end ${session.user}: ${reason}`),
        };
      },
    });
    this.sockets = new WebSocketTransports(this.registry, options);
    this.http = new HttpTransports(this.registry, options);
    const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<Answered> => {
      const { url = "", headers, method } = incoming;
      const page = options.pages?.[url.split("?", 1)[0] ?? ""];
      if (page !== undefined) return { status: 200, headers: { "content-type": "text/html" }, body: page };
      if (!this.isAuthorized) return { status: 401, headers: {} };
      const asked = { headers, bytes: await buffer(incoming) };
      const caller = this.#callerOf(url);
      return method === "POST" ? this.http.post(asked, caller) : this.http.stream(asked, outgoing, caller);
    };
    this.#server = createServer(async (incoming, outgoing) => {
      const answered = await answer(incoming, outgoing);
      if (answered !== "written") await write(answered, outgoing);
    });
    this.#server.on("upgrade", (request: IncomingMessage, socket, head) => {
      if (!this.letsSockets || !this.isAuthorized) socket.destroy();
      else this.sockets.upgrade(request, socket, head, this.#callerOf(request.url ?? ""));
    });
    this.#proxy = createTcpServer((client) => {
      const { port } = this.#server.address() as AddressInfo;
      const server = connect(port, "127.0.0.1");
      const line: [Socket, Socket] = [client, server];
      this.#lines.add(line);
      for (const [from, to] of [line, [server, client] as const]) {
        from.on("error", () => to.destroy());
        from.on("close", () => {
          this.#lines.delete(line);
          to.destroy();
        });
        from.pipe(to);
      }
    });
  }

  #callerOf(url: string): Caller {
    return { user: userOf(url), meet: (isUsed) => void this.met.push(isUsed) };
  }

  static async open(options: SessionStageOptions = {}): Promise<SessionStage> {
    const stage = new SessionStage(options);
    for (const server of [stage.#server, stage.#proxy]) {
      const port = server === stage.#proxy ? (options.port ?? 0) : 0;
      await listen(server, port);
    }
    return stage;
  }

  get port(): number {
    return (this.#proxy.address() as AddressInfo).port;
  }

  url(user = "ann"): string {
    return `http://127.0.0.1:${this.port}/session?user=${user}`;
  }

  /** Connects to the listener directly, bypassing the line. */
  get direct(): string {
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}/session`;
  }

  /** Resets every connection. */
  reset(): void {
    for (const sockets of [...this.#lines]) for (const socket of sockets) socket.resetAndDestroy();
  }

  /** Freezes the line in both directions without notice: half-open. */
  freeze(): void {
    for (const [client, server] of this.#lines) {
      client.unpipe();
      server.unpipe();
      client.pause();
      server.pause();
    }
  }

  #receive(session: BrowserSession, channel: string, text: string): void {
    const { id, method, params } = JSON.parse(text) as Omit<Noted, "session" | "channel">;
    const noted: Noted = { session: session.id, channel, id, method, params };
    this.noted.push(noted);
    if (id === undefined || method === undefined) return;
    const result = this.answer(noted, session);
    if (result !== undefined) session.send(channel, JSON.stringify({ jsonrpc: "2.0", id, result }));
  }

  async close(): Promise<void> {
    this.registry.close();
    this.http.close();
    await this.sockets.close(200);
    for (const sockets of this.#lines) for (const socket of sockets) socket.destroy();
    this.#server.closeAllConnections();
    await Promise.all(
      [this.#server, this.#proxy].map((server) => new Promise((resolve) => server.close(resolve))),
    );
  }
}

const userOf = (url: string): string => new URL(url, "http://localhost").searchParams.get("user") ?? "ann";

/** Listens on a port. If another program uses a port that a test had before, it waits until the port is free. */
async function listen(server: NetServer, port: number): Promise<void> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    try {
      server.listen(port, "127.0.0.1", 1024);
      await once(server, "listening");
      return;
    } catch (error) {
      if (port === 0 || performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
