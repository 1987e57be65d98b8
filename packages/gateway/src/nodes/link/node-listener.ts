/**
 * The listener for other nodes: HTTPS with a pre-shared key, and a signed operation in every request.
 *
 * @module
 */
import { once } from "node:events";
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { GatewayError } from "@vitrine/wire";
import { WebSocketServer } from "ws";
import type { Admission } from "../../http/elsewhere.js";
import { failureOf } from "../../http/http-error.js";
import { HTTP_LIMITS } from "../../http/limits.js";
import type { Log } from "../../http/logging.js";
import { HttpTraffic } from "../../http/traffic.js";
import { AcceptedLink, type LinkHost } from "./accepted-link.js";
import { type NodeKeys, tlsOfListener } from "./keys.js";
import { checkBody, OPERATION_HEADER, type Operation } from "./operation.js";
import { REFUSED_HEADER } from "./refusal.js";
import { LINK_PATH, MAX_LINK_MESSAGE } from "./stream-link.js";

/** Bytes of the headers that this node adds to those of a client. */
const OWN_HEADERS = 16_384;
/** Milliseconds between two log lines about connections that failed in their handshake. */
const WARNING_INTERVAL = 10_000;

/** Options of {@link NodeListener.open}. */
export interface NodeListenerOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly keys: NodeKeys;
  readonly log: Log;
  /** Milliseconds between heartbeats; 1,000 by default. */
  readonly beat?: number | undefined;
}

/** The node of a {@link NodeListener}. */
export interface NodeHost extends Omit<LinkHost, "refused" | "ask" | "checkRunning"> {
  /** Serves a request whose operation was accepted. */
  serve(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    admission: Admission,
    traffic: HttpTraffic,
  ): void;
}

/** Accepts the operations of other nodes. */
export class NodeListener {
  readonly port: number;
  readonly #options: NodeListenerOptions;
  readonly #traffic: HttpTraffic;
  readonly #sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_LINK_MESSAGE,
    clientTracking: false,
  });
  #host: NodeHost | undefined;
  #warnedAt = Number.NEGATIVE_INFINITY;

  private constructor(server: Server, options: NodeListenerOptions) {
    this.#options = options;
    this.port = (server.address() as AddressInfo).port;
    this.#traffic = new HttpTraffic(server);
    server.on("request", (incoming, outgoing) => this.#take(incoming, outgoing));
    server.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
    server.on("tlsClientError", (error, socket) => {
      socket.destroy();
      this.#warn(error);
    });
  }

  /** Opens the port. Operations are refused until {@link start}. */
  static async open(options: NodeListenerOptions): Promise<NodeListener> {
    const { host, port, keys } = options;
    const server = createServer({
      ...tlsOfListener(keys),
      maxHeaderSize: HTTP_LIMITS.headerBytes + OWN_HEADERS,
      headersTimeout: HTTP_LIMITS.headersTimeout,
      requestTimeout: HTTP_LIMITS.requestTimeout,
      keepAliveTimeout: HTTP_LIMITS.keepAlive,
    });
    server.maxHeadersCount = 0;
    server.listen(port, host);
    await once(server, "listening");
    return new NodeListener(server, options);
  }

  start(host: NodeHost): void {
    this.#host = host;
  }

  async close(grace: number): Promise<void> {
    await this.#traffic.stop(grace);
    this.#sockets.close();
  }

  #take(incoming: IncomingMessage, outgoing: ServerResponse): void {
    try {
      const { method = "", url = "", headers } = incoming;
      const host = this.#started();
      const operation = host.verifier.verify(headers[OPERATION_HEADER], { method, url, headers });
      if (!host.holds(operation.user))
        throw new GatewayError("not-owner", "this node does not have the user's sessions");
      delete headers[OPERATION_HEADER];
      host.serve(incoming, outgoing, admissionOf(operation), this.#traffic);
    } catch (error) {
      const { status, headers, body } = this.#refusal(error);
      incoming.resume();
      outgoing.writeHead(status, headers).end(body);
    }
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on("error", () => socket.destroy());
    try {
      const { method = "", url = "", headers } = request;
      const host = this.#started();
      host.verifier.verify(headers[OPERATION_HEADER], { method, url, headers: {} });
      if (url !== LINK_PATH)
        throw new GatewayError("operation-invalid", "there is no WebSocket at this address");
      this.#sockets.handleUpgrade(request, socket, head, (webSocket) => {
        const refused = (error: GatewayError): void => void this.#refusal(error);
        const checkRunning = (): void => void this.#started();
        const ask: LinkHost["ask"] = (incoming, outgoing, operation) =>
          host.serve(incoming, outgoing, admissionOf(operation), this.#traffic);
        const closed = (reason: string): void =>
          this.#options.log.info({ reason }, "a connection of another node has ended");
        new AcceptedLink(webSocket, { ...host, refused, checkRunning, ask }, closed, this.#options.beat);
      });
    } catch (error) {
      const { status, headers, body } = this.#refusal(error);
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      const text = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}connection: close\r\n\r\n`;
      socket.end(`${text}${body}`, () => socket.destroy());
    }
  }

  #started(): NodeHost {
    if (this.#host && !this.#traffic.isStopping) return this.#host;
    throw new GatewayError("stopping", "this node is starting or stopping");
  }

  /** The answer to an operation that was refused before anything was done. */
  #refusal(error: unknown): { status: number; headers: Record<string, string>; body: string } {
    const { status, code, message } = failureOf(error);
    const body = JSON.stringify({ code, message });
    const isExpected = code === "not-owner" || code === "stopping";
    this.#options.log[isExpected ? "debug" : "warn"](
      { code, err: error },
      "an operation of another node was refused",
    );
    const length = String(Buffer.byteLength(body));
    return { status, headers: { [REFUSED_HEADER]: code, "content-length": length }, body };
  }

  /** A port scan must not fill the log. */
  #warn(error: Error): void {
    const now = performance.now();
    if (now - this.#warnedAt < WARNING_INTERVAL) return;
    this.#warnedAt = now;
    this.#options.log.warn(
      { err: error },
      "a connection to the listener for nodes failed: the other side has another secret, or is no node",
    );
  }
}

const admissionOf = (operation: Operation): Admission => ({
  origin: operation.origin,
  from: operation.address,
  admitted: { caller: { user: operation.user }, browser: operation.browser },
  checkBody: (bytes) => checkBody(operation, bytes),
});
