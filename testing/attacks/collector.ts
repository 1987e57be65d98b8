/**
 * The attacker's server: everything that reaches it got out. It listens on loopback, with a name, a TCP and
 * a UDP port for each attack, so that even an empty connection identifies its attack.
 */
import { createHash } from "node:crypto";
import { createSocket, type Socket as UdpSocket } from "node:dgram";
import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";

/** Addresses to which one attack sends stolen data. */
export interface Target {
  /** The stolen data: the first label of the host name, and part of every address. */
  secret: string;
  host: string;
  /** `http://host:port`. Nothing here speaks TLS, but a connection attempt is enough. */
  http: string;
  https: string;
  ws: string;
  port: number;
  /** A port for UDP, on 127.0.0.1. */
  udp: number;
}

/** Traffic of one attack that arrived. */
export interface Evidence {
  /** `GET /path host`, in order. */
  requests: string[];
  /** TCP connections, with or without a request. */
  connections: number;
  /** UDP packets. */
  packets: number;
}

interface Listener {
  target: Target;
  /** The answer to `/page`. */
  page: string;
  evidence: Evidence;
  close(): void;
}

/** Collects what attacks send. */
export class Collector {
  readonly #listeners: Listener[] = [];
  /** Requests to all targets, for code that waits for one. */
  readonly #waiting = new Set<() => void>();

  /** Listens for one attack, under a name of its own. */
  async listen(secret: string): Promise<Target> {
    const evidence: Evidence = { requests: [], connections: 0, packets: 0 };
    const http = createHttpServer((request, response) => {
      this.#note(evidence, request);
      if (request.url === "/page") response.setHeader("content-type", "text/html").end(listener.page);
      else answer(request, response);
    });
    http.on("upgrade", (request, socket) => {
      this.#note(evidence, request);
      const key = `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
      const accept = createHash("sha1").update(key).digest("base64");
      socket.on("error", () => {});
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
      );
    });
    const tcp = createServer((socket) => {
      evidence.connections++;
      socket.on("error", () => {});
      http.emit("connection", socket);
      this.#changed();
    });
    const udp = createSocket("udp4", () => {
      evidence.packets++;
      this.#changed();
    });
    tcp.listen(0, "127.0.0.1");
    udp.bind(0, "127.0.0.1");
    await Promise.all([once(tcp, "listening"), once(udp, "listening")]);
    const { port } = tcp.address() as AddressInfo;
    const host = `${secret}.localhost`;
    const target: Target = {
      secret,
      host,
      http: `http://${host}:${port}`,
      https: `https://${host}:${port}`,
      ws: `ws://${host}:${port}`,
      port,
      udp: udp.address().port,
    };
    const close = () => closeAll(tcp, udp, () => http.closeAllConnections());
    const listener = { target, evidence, close, page: "" };
    this.#listeners.push(listener);
    return target;
  }

  /** Traffic that has arrived at a target so far. */
  evidence(target: Target): Evidence {
    return this.#find(target).evidence;
  }

  /** Shows a page at a target's `/page`, with no policy whatsoever. */
  show(target: Target, html: string): void {
    this.#find(target).page = html;
  }

  #find({ secret }: Target): Listener {
    const found = this.#listeners.find(({ target }) => target.secret === secret);
    if (!found) throw new Error(`no target ${secret}`);
    return found;
  }

  /** Waits until a condition holds; gives up silently after so many milliseconds. */
  until(isSo: () => boolean, limit: number): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve(isSo());
      };
      const look = (): void => void (isSo() && end());
      const timer = setTimeout(end, limit);
      this.#waiting.add(look);
      look();
    });
  }

  close(): void {
    for (const listener of this.#listeners) listener.close();
  }

  #note(evidence: Evidence, { method, url, headers }: IncomingMessage): void {
    evidence.requests.push(`${method} ${url} ${headers.host}`);
    this.#changed();
  }

  #changed(): void {
    for (const look of [...this.#waiting]) look();
  }
}

const TYPES: readonly (readonly [RegExp, string])[] = [
  [/\.js\b/, "text/javascript"],
  [/\.css\b/, "text/css"],
  [/\.svg\b/, "image/svg+xml"],
  [/\.json\b/, "application/json"],
  [/events/, "text/event-stream"],
];

/** An address that any page may use. */
function answer({ url = "/" }: IncomingMessage, response: ServerResponse): void {
  const [, redirect] = /[?&]to=([^&]+)/.exec(url) ?? [];
  const type = TYPES.find(([pattern]) => pattern.test(url))?.[1] ?? "text/html";
  response
    .writeHead(redirect ? 302 : 200, {
      "content-type": type,
      "access-control-allow-origin": "*",
      "access-control-allow-headers": "*",
      "timing-allow-origin": "*",
      "cache-control": url.includes("cached") ? "public, max-age=3600" : "no-store",
      ...(redirect && { location: decodeURIComponent(redirect) }),
    })
    .end(type === "image/svg+xml" ? '<svg xmlns="http://www.w3.org/2000/svg"/>' : "");
}

function closeAll(tcp: Server, udp: UdpSocket, connections: () => void): void {
  tcp.close();
  connections();
  udp.close();
}
