/**
 * The sandbox as a Node server: a listener of its own, that shares nothing with any other.
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
import type { Origins, Role } from "./origins.js";
import { Sandbox, type SandboxOptions } from "./sandbox.js";

/** Options of {@link serveSandbox}. */
export interface ServeSandboxOptions extends Omit<SandboxOptions, "origin"> {
  /** 8091 by default; 0 for any that is free. */
  port?: number | undefined;
  /** Where to listen; loopback by default. */
  address?: string | undefined;
  /** How browsers see this server, behind a proxy for example. `http://{role}.{label}.localhost:PORT` by default. */
  origin?: string | undefined;
  /** A port of its own for every page of every app, on loopback: for browsers that know no `*.localhost`. */
  portPerApp?: boolean | undefined;
}

/** A sandbox that listens. */
export interface ServedSandbox {
  readonly sandbox: Sandbox;
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Starts the sandbox on a listener of its own.
 *
 * @example
 * ```ts source="./sandbox.examples.ts#serveSandbox"
 * const { sandbox, close } = await serveSandbox({ secret, hosts: ["http://localhost:8080"] });
 * const { src } = await sandbox.register({ server: "weather", html: "<!doctype html><p>Sunny" });
 * // src is like http://p.<label>.localhost:8091/<name>
 * await close();
 * ```
 */
export async function serveSandbox(options: ServeSandboxOptions): Promise<ServedSandbox> {
  const servers: Server[] = [];
  let sandbox: Sandbox | undefined;
  const answer: RequestListener = (request, response) => void respond(sandbox, request, response);
  const listen = async (port: number): Promise<number> => {
    const server = createServer({ maxHeaderSize: 16_384, requestTimeout: 10_000 }, answer);
    servers.push(server);
    server.listen(port, options.address ?? "127.0.0.1");
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  };
  const port = await listen(options.port ?? 8091);
  const origin = options.portPerApp
    ? new PortOrigins(() => listen(0))
    : (options.origin ?? `http://{role}.{label}.localhost:${port}`);
  sandbox = new Sandbox({ ...options, origin });
  return {
    sandbox,
    port,
    close: async () => {
      await Promise.all(
        servers.map(async (server) => {
          const closed = once(server, "close");
          server.close();
          server.closeAllConnections();
          await closed;
        }),
      );
    },
  };
}

/** Ports in place of names: two for each app. Storage is apart, cookies are not. */
class PortOrigins implements Origins {
  readonly ownSites = false;
  readonly shareCookies = true;
  readonly #listen: () => Promise<number>;
  readonly #ports = new Map<string, Promise<Record<Role, number>>>();
  readonly #places = new Map<string, { role: Role; label: string }>();
  readonly #origins = new Map<string, string>();

  constructor(listen: () => Promise<number>) {
    this.#listen = listen;
  }

  async prepare(label: string): Promise<void> {
    if (!this.#ports.has(label)) this.#ports.set(label, this.#open(label));
    await this.#ports.get(label);
  }

  async #open(label: string): Promise<Record<Role, number>> {
    const [proxy, view] = [await this.#listen(), await this.#listen()];
    for (const [role, port] of [["proxy", proxy] as const, ["view", view] as const]) {
      this.#places.set(`127.0.0.1:${port}`, { role, label });
      this.#origins.set(`${role} ${label}`, `http://127.0.0.1:${port}`);
    }
    return { proxy, view };
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
  // Only what decides about the answer is passed on. A path that begins with two slashes is no other host's.
  const asked = new Headers({ host: `${headers.host}` });
  const destination = headers["sec-fetch-dest"];
  if (destination) asked.set("sec-fetch-dest", `${destination}`);
  const address = `http://sandbox.invalid/${`${url}`.replace(/^\/+/, "")}`;
  const answer = await sandbox?.fetch(
    new Request(address, { method: method === "GET" ? "GET" : "POST", headers: asked }),
  );
  if (!answer) return void response.destroy();
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  for await (const chunk of answer.body ?? []) if (!response.write(chunk)) await once(response, "drain");
  response.end();
}
