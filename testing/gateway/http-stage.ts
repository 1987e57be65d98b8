/** The gateway's listener, with an API behind it that only records its calls. */
import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from "node:http";
import type { Duplex } from "node:stream";
import { JsonText } from "@vitrine/protocol";
import type { GatewayApi } from "../../packages/gateway/src/http/api.js";
import { Authentication, type AuthenticationOptions } from "../../packages/gateway/src/http/auth.js";
import { type HttpListener, type ListenOptions, listen } from "../../packages/gateway/src/http/listener.js";
import { createLog, type LogOptions } from "../../packages/gateway/src/http/logging.js";
import { Metrics } from "../../packages/gateway/src/http/metrics.js";
import { gatewayMetrics } from "../../packages/gateway/src/http/metrics-gateway.js";
import type { SessionTransports } from "../../packages/gateway/src/http/route.js";

/** An API that does nothing but record its calls in `calls`. */
export function spyApi(calls: unknown[][]): GatewayApi {
  const note = <T>(result: T, ...call: unknown[]): T => {
    calls.push(call);
    return result;
  };
  const summary = { name: "weather", state: "ready" as const, capabilities: { tools: {} } };
  const row = { seq: 1, time: 1, kind: "entry" as const, hash: "00" };
  return {
    servers: ({ user }) => note([summary], "servers", user),
    catalogue: async ({ user }, server) =>
      note({ tools: [], resources: [], templates: [], prompts: [], views: [] }, "catalogue", user, server),
    start: async ({ user }, server) => note(summary, "start", user, server),
    request: async ({ user }, server, method, params, { key }) =>
      note(new JsonText('{"content":[ {"type":"text","text":"Sunny"} ]}'), method, user, server, params, key),
    host: async ({ user }, server, asked) => {
      const text = await asked.text();
      return note(Response.json({ jsonrpc: "2.0", id: 1, result: {} }), "host", user, server, text);
    },
    authorized: async (query, caller) =>
      note({ server: "<weather>" }, "authorized", query.toString(), caller?.user),
    audit: {
      query: async ({ user }, query) => note([row], "audit", user, query),
      async *rows({ user }) {
        calls.push(["rows", user]);
        yield row;
        yield { ...row, seq: 2 };
      },
      verify: async ({ user }) => note({ ok: true as const, rows: 1, head: "00" }, "verify", user),
    },
    consents: {
      list: async ({ user }) => note([], "consents", user),
      session: () => [],
      revoke: async ({ user }, key) => note(2, "revoke", user, key),
      setLevel: async ({ user }, server, level) => note(undefined, "level", user, server, level),
    },
    ready: () => ({ ok: true, problems: [] }),
  };
}

/** Transports that only record their calls in `calls`. */
export function spyTransports(calls: unknown[][]): SessionTransports {
  return {
    upgrade: (_request, socket: Duplex, _head, { user }) => {
      calls.push(["upgrade", user]);
      socket.write("HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n");
    },
    frames: async (asked, { user }) => {
      calls.push(["frames", user, asked.bytes.toString()]);
      return { status: 204, headers: {} };
    },
    events: (_request, outgoing, { user }) => {
      calls.push(["events", user]);
      outgoing.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n");
      return "written";
    },
  };
}

/** An answer. */
export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Options of {@link HttpStage.ask}; a header that is undefined is left out. */
export interface Ask {
  method?: string;
  headers?: Record<string, string | string[] | undefined>;
  body?: string | Buffer;
}

/** A listener on a free port, with functions that send it requests. */
export interface HttpStage {
  readonly listener: HttpListener;
  readonly auth: Authentication;
  readonly metrics: Metrics;
  readonly calls: unknown[][];
  readonly logged: string[];
  /** The headers of a correct program. */
  readonly program: Record<string, string>;
  ask(path: string, ask?: Ask): Promise<Answer>;
  /** Requests an upgrade; resolves with the status. */
  upgrade(headers: Record<string, string | undefined>, path?: string): Promise<number>;
  /** The cookie of a browser that opened a link. */
  signIn(user?: string): Promise<string>;
}

/** Options of {@link openStage}. */
export interface StageOptions
  extends Partial<Omit<ListenOptions, "auth" | "metrics" | "counts" | "log" | "api" | "transports">> {
  users?: AuthenticationOptions;
  api?: Partial<GatewayApi>;
  transports?: Partial<SessionTransports>;
  token?: string;
  level?: LogOptions["level"];
}

export async function openStage(options: StageOptions = {}): Promise<HttpStage> {
  const { users, token, level = "debug", ...rest } = options;
  const calls: unknown[][] = [];
  const logged: string[] = [];
  const auth = new Authentication(users);
  const metrics = new Metrics();
  const listener = await listen({
    port: 0,
    ...rest,
    api: { ...spyApi(calls), ...options.api },
    transports: { ...spyTransports(calls), ...options.transports },
    auth,
    metrics,
    counts: gatewayMetrics(metrics),
    log: createLog({ level, stream: { write: (line) => void logged.push(line) } }),
  });
  const { port } = listener;
  const program = {
    host: new URL(listener.origin).host,
    origin: listener.origin,
    authorization: `Bearer ${token ?? auth.token}`,
    "content-type": "application/json",
  };
  const ask = (path: string, { method = "GET", headers = {}, body }: Ask = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const sent = request({
        port,
        host: "127.0.0.1",
        path,
        method,
        agent: false,
        headers: present(headers),
      });
      sent.on("error", reject).on("response", (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => (text += part));
        response.on("error", reject);
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        );
      });
      sent.end(body);
    });
  return {
    listener,
    auth,
    metrics,
    calls,
    logged,
    program,
    ask,
    upgrade: (headers, path = "/api/session") =>
      new Promise((resolve, reject) => {
        const websocket = {
          connection: "Upgrade",
          upgrade: "websocket",
          "sec-websocket-version": "13",
          "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
        };
        const sent = request({
          port,
          host: "127.0.0.1",
          path,
          agent: false,
          headers: present({ ...websocket, ...headers }),
        });
        sent.on("error", reject);
        sent.on("response", (response) => resolve(response.resume().statusCode ?? 0));
        sent.on("upgrade", (_response, socket) => {
          socket.destroy();
          resolve(101);
        });
        sent.end();
      }),
    signIn: async (user) => {
      const { pathname, search } = new URL(listener.loginUrl(user));
      const { headers } = await ask(`${pathname}${search}`, { headers: { host: program.host } });
      return headers["set-cookie"]?.[0]?.split(";", 1)[0] ?? "";
    },
  };
}

const present = (headers: Record<string, string | string[] | undefined>): OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
