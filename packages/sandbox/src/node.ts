/**
 * The sandbox as a Node server with its own listener.
 *
 * @module
 */
import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { buildCsp, VitrineError } from "@vitrine/protocol";
import { DENY_ALL } from "./headers.js";
import type { Origins, Role } from "./origins.js";
import { Sandbox, type SandboxOptions } from "./sandbox.js";

/** Options of {@link serveSandbox}. */
export interface ServeSandboxOptions extends Omit<SandboxOptions, "origin" | "hosts"> {
  /** See {@link SandboxOptions.hosts}; required without {@link hostsAt}. */
  hosts?: SandboxOptions["hosts"] | undefined;
  /** Returns the host pages after the sandbox has its port: for a host page whose own policy contains it. */
  hostsAt?: ((port: number) => Promise<readonly string[]>) | undefined;
  /** 8091 by default; 0 for any free port. */
  port?: number | undefined;
  /** Address to listen on; loopback by default. */
  address?: string | undefined;
  /**
   * The origin as browsers see it, for example behind a proxy. `http://{role}.{label}.localhost:PORT` by
   * default; with {@link portPerApp} `http://127.0.0.1:{port}`.
   */
  origin?: string | undefined;
  /**
   * A separate port for every page of every app, for browsers without `*.localhost` and networks without names: with
   * `origin: "http://192.168.1.5:{port}"` and {@link address} on another address than loopback. The ports are free
   * ones, or those from the first to the last of a range.
   */
  portPerApp?: boolean | readonly [first: number, last: number] | undefined;
  /**
   * Answers requests for all other names: your application, on the same listener. An Express application is such a
   * function; Koa has `callback()`, Fastify `routing`, Hono's Node server `getRequestListener`.
   */
  fallback?: RequestListener | undefined;
}

/** A running sandbox. */
export interface ServedSandbox {
  readonly sandbox: Sandbox;
  readonly port: number;
  /** The listener, for example to handle `upgrade` requests of your application. */
  readonly server: Server;
  close(): Promise<void>;
}

/**
 * Starts the sandbox on its own listener.
 *
 * @example
 * ```ts source="./sandbox.examples.ts#serveSandbox"
 * const { sandbox, close } = await serveSandbox({ secret, hosts: ["http://localhost:8090"] });
 * const view = await sandbox.register({ server: "weather", html: "<!doctype html><h1>Sunny</h1>" });
 * // view.src is http://p.<label>.localhost:8091/<name>
 * await close();
 * ```
 */
export async function serveSandbox(options: ServeSandboxOptions): Promise<ServedSandbox> {
  const servers: Server[] = [];
  let sandbox: Sandbox | undefined;
  const listen = async (port: number, address = "127.0.0.1", fallback?: RequestListener): Promise<number> => {
    const server = createListener(async (request, response) => {
      if (fallback && !sandbox?.handles(request.headers.host)) fallback(request, response);
      else await respond(sandbox, request, response);
    }, fallback !== undefined);
    server.listen(port, address);
    await once(server, "listening");
    servers.push(server);
    return (server.address() as AddressInfo).port;
  };
  const close = async (): Promise<void> => {
    await Promise.all(
      servers.splice(0).map(async (server) => {
        const closed = once(server, "close");
        server.close();
        server.closeAllConnections();
        await closed;
      }),
    );
  };
  try {
    const port = await listen(options.port ?? 8091, options.address, options.fallback);
    const [server] = servers as [Server];
    const origin = options.portPerApp
      ? new PortOrigins(options.origin ?? "http://127.0.0.1:{port}", () => openPort(options, listen))
      : (options.origin ?? `http://{role}.{label}.localhost:${port}`);
    const hosts = (await options.hostsAt?.(port)) ?? options.hosts ?? [];
    sandbox = new Sandbox({ ...options, origin, hosts });
    return { sandbox, port, server, close };
  } catch (error) {
    // The caller could not close it.
    await close();
    throw error;
  }
}

type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** A server that answers everything itself: Node's own error responses have no policy (see DENY_ALL). */
function createListener(listener: Listener, isShared: boolean): Server {
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    listener(request, response).catch(() => response.destroy());
  };
  const options = {
    maxHeaderSize: 16_384,
    // An application may receive large files.
    ...(!isShared && { requestTimeout: 10_000 }),
    connectionsCheckingInterval: 1000,
    requireHostHeader: false,
  };
  const server = createServer(options, answer);
  server.on("checkExpectation", answer);
  // Invalid HTTP, or a request that is too long: an app can make a browser send one.
  server.on("clientError", (error, socket) => {
    // Browsers open connections in advance. An answer there would count as the answer to their first request.
    if (Object(error).code === "ERR_HTTP_REQUEST_TIMEOUT") return void socket.destroy();
    const headers = Object.entries({ ...DENY_ALL, connection: "close" });
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    if (socket.writable) socket.end(`HTTP/1.1 400 Bad Request\r\n${lines}\r\nNothing here.\n`);
    else socket.destroy();
  });
  return server;
}

/** Opens the next free port for a page. */
async function openPort(
  { portPerApp, address }: ServeSandboxOptions,
  listen: (port: number, address?: string) => Promise<number>,
): Promise<number> {
  if (typeof portPerApp !== "object") return listen(0, address);
  const [first, last] = portPerApp;
  for (let port = first; port <= last; port++) {
    try {
      return await listen(port, address);
    } catch (error) {
      if (Object(error).code !== "EADDRINUSE") throw error;
    }
  }
  throw new VitrineError("unsupported", `all ports from ${first} to ${last} are in use`);
}

/** Ports instead of names: two for each app. Storage is separate, cookies are not. */
class PortOrigins implements Origins {
  readonly ownSites = false;
  readonly shareCookies = true;
  readonly #pattern: string;
  readonly #listen: () => Promise<number>;
  readonly #opened = new Map<string, Promise<void>>();
  readonly #places = new Map<string, { role: Role; label: string }>();
  readonly #origins = new Map<string, string>();

  /** @throws {VitrineError} `invalid` for anything but an origin with `{port}` */
  constructor(pattern: string, listen: () => Promise<number>) {
    const example = pattern.replace("{port}", "65535");
    const { rejected } = buildCsp(undefined, { frameAncestors: [example] });
    if (!/^https?:\/\/[^/*{}]+:\{port\}$/i.test(pattern) || rejected.length > 0 || !URL.canParse(example))
      throw new VitrineError(
        "invalid",
        `with a port for each app, the sandbox's origin must be like "http://192.168.1.5:{port}", but is "${pattern}"`,
      );
    this.#pattern = pattern;
    this.#listen = listen;
  }

  async prepare(label: string): Promise<void> {
    const opening = this.#opened.get(label) ?? this.#open(label);
    this.#opened.set(label, opening);
    // Retry after a failure.
    opening.catch(() => this.#opened.delete(label));
    await opening;
  }

  async #open(label: string): Promise<void> {
    for (const role of ["proxy", "view"] as const) {
      const { host, origin } = new URL(this.#pattern.replace("{port}", `${await this.#listen()}`));
      this.#places.set(host, { role, label });
      this.#origins.set(`${role} ${label}`, origin);
    }
  }

  of(role: Role, label: string): string {
    return this.#origins.get(`${role} ${label}`) ?? "";
  }

  read(host: string | null): { role: Role; label: string } | undefined {
    return this.#places.get(host ?? "");
  }
}

async function respond(
  sandbox: Sandbox | undefined,
  { method, headers, url }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // Passes on only what affects the answer. A path that starts with two slashes must not become another host.
  const asked = new Headers({ host: `${headers.host}` });
  const destination = headers["sec-fetch-dest"];
  if (destination) asked.set("sec-fetch-dest", `${destination}`);
  const address = `http://sandbox.invalid/${`${url}`.replace(/^\/+/, "")}`;
  const answer = await sandbox?.fetch(
    new Request(address, { method: method === "GET" ? "GET" : "POST", headers: asked }),
  );
  if (!answer) return void response.destroy();
  // The answer is complete, and is sent at the browser's pace.
  const body = new Uint8Array(await answer.arrayBuffer());
  response.writeHead(answer.status, { ...Object.fromEntries(answer.headers), "content-length": body.length });
  response.end(body);
}
