/**
 * The HTTP listener: all requests, on one port.
 *
 * @module
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { GatewayError } from "@vitrine/wire";
import { AccessLog } from "./access-log.js";
import type { GatewayApi } from "./api.js";
import { type Authentication, LOCAL_USER } from "./auth.js";
import { Buckets } from "./buckets.js";
import { capacity } from "./capacity.js";
import type { Admission, Elsewhere } from "./elsewhere.js";
import { hostNamesOf, isLoopback } from "./host-names.js";
import { HTTP_LIMITS, type HttpLimits } from "./limits.js";
import type { LinkOptions } from "./link-options.js";
import type { Log } from "./logging.js";
import type { Metrics } from "./metrics.js";
import type { GatewayMetrics } from "./metrics-gateway.js";
import { openApiOf } from "./openapi.js";
import type { SessionTransports } from "./route.js";
import { Router } from "./router.js";
import { ROUTES } from "./routes.js";
import { SOCKET } from "./routes-sessions.js";
import { type HttpServeOptions, serve, takeTurn } from "./serve.js";
import { StaticFiles, type StaticOptions } from "./static.js";
import { Stopping, type StopState } from "./stopping.js";
import { HttpTraffic } from "./traffic.js";
import { refuseGarbage, upgrade } from "./upgrade.js";

/** Options of {@link listen}. */
export interface ListenOptions {
  /** A local address; `127.0.0.1` by default. */
  host?: string | undefined;
  /** 0 for any free port. */
  port: number;
  /** The origin that browsers see, behind a reverse proxy. */
  origin?: string | undefined;
  /** Whether to listen on an address that is reachable by others. Requires users. */
  allowRemote?: boolean | undefined;
  api: GatewayApi;
  auth: Authentication;
  transports: SessionTransports;
  /** The workbench. */
  static?: StaticOptions | undefined;
  metrics: Metrics;
  /** The gateway's metrics, registered in {@link metrics}. */
  counts: GatewayMetrics;
  log: Log;
  /** Whether every request is logged; false by default. */
  access?: (() => boolean) | undefined;
  /** Refuses requests while the gateway stops. */
  stopping?: StopState | undefined;
  limits?: Partial<HttpLimits> | undefined;
  /** Other nodes, if there can be some. */
  elsewhere?: Elsewhere | undefined;
  now?: (() => number) | undefined;
}

/** A running listener. */
export interface HttpListener {
  /** The origin for browsers. */
  readonly origin: string;
  /** All origins that its pages can have: the sandbox must know them. */
  readonly origins: readonly string[];
  readonly port: number;
  /** A link that signs a browser in, once. Show it to the user; never log it. */
  loginUrl(user?: string, options?: LinkOptions): string;
  /** Serves a request that another node has authenticated and forwarded. `traffic` is that of its server. */
  serveForwarded(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    admission: Admission,
    traffic: HttpTraffic,
  ): void;
  /**
   * Stops accepting requests, waits for pending ones, at most `grace` milliseconds (5,000 by default), and
   * ends event streams and WebSockets. May be called repeatedly.
   */
  close(grace?: number): Promise<void>;
}

/**
 * Opens the listener.
 *
 * @example
 * ```ts source="./http.examples.ts#listen"
 * const metrics = new Metrics();
 * const listener = await listen({
 *   port: 8090,
 *   api,
 *   auth: new Authentication(),
 *   transports,
 *   metrics,
 *   counts: gatewayMetrics(metrics),
 *   log: createLog(),
 * });
 * show(listener.loginUrl());
 * // later
 * await listener.close(10_000);
 * ```
 *
 * @throws {GatewayError} `config-invalid`
 */
export async function listen(options: ListenOptions): Promise<HttpListener> {
  const { host = "127.0.0.1", api, auth, transports, metrics, counts, log, now = Date.now } = options;
  const limits = { ...HTTP_LIMITS, ...options.limits };
  refuseOpenAccess(host, options);
  const files = options.static && (await StaticFiles.open(options.static));
  const server = createServer({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeout,
    requestTimeout: limits.requestTimeout,
    keepAliveTimeout: limits.keepAlive,
    connectionsCheckingInterval: Math.min(5000, limits.headersTimeout),
    noDelay: true,
  });
  // Node would drop headers beyond its limit, and Origin may be among them: they are counted instead.
  server.maxHeadersCount = 0;
  server.maxConnections = limits.connections ?? capacity().connections;
  const port = await open(server, options.port, host);
  const hostNames = hostNamesOf({ host, port, origin: options.origin });
  const openapi = JSON.stringify(openApiOf(ROUTES, hostNames.origin));
  const traffic = new HttpTraffic(server);
  const serving: HttpServeOptions = {
    services: { api, auth, transports, metrics, log, files, openapi: () => openapi },
    hostNames,
    head: limits,
    body: limits.body,
    rates: new Buckets(limits.rate, now),
    counts,
    elsewhere: options.elsewhere,
    access: new AccessLog(log, options.access ?? (() => false)),
    stopping: new Stopping(options.stopping, () => traffic.isStopping),
    began: (route, outgoing, browser) => traffic.began(route, outgoing, browser),
  };
  const router = new Router(ROUTES);
  const take = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    traffic.came(incoming, outgoing);
    const { method = "", url = "" } = incoming;
    void serve(router.find(method, url), incoming, outgoing, serving);
  };
  // `100 Continue` is answered only after authentication.
  for (const event of ["request", "checkContinue", "checkExpectation"]) server.on(event, take);
  server.on("clientError", refuseGarbage);
  server.on(
    "upgrade",
    (request, socket: Duplex, head: Buffer) =>
      void upgrade(request, socket, head, SOCKET, serving, (each, browser) => traffic.opened(each, browser)),
  );
  const forget = auth.onSignOut((browser) => traffic.endBrowser(browser));
  log.info({ host, port, remote: !isLoopback(host) }, "listening");
  return {
    origin: hostNames.origin,
    origins: [...new Set(hostNames.hosts.values())],
    port,
    serveForwarded: (incoming, outgoing, admission, others) => {
      const { method = "", url = "" } = incoming;
      others.came(incoming, outgoing);
      const forwarded: HttpServeOptions = {
        ...serving,
        // It goes no further: the sender looks up the owner again if this node is not the owner any more.
        elsewhere: undefined,
        stopping: new Stopping(options.stopping, () => traffic.isStopping || others.isStopping),
        began: (route, each, browser) => others.began(route, each, browser),
      };
      void serve(router.find(method, url), incoming, outgoing, forwarded, async () => {
        takeTurn(admission.admitted?.caller.user ?? "", serving);
        return admission;
      });
    },
    loginUrl: (user = LOCAL_USER, link) => `${hostNames.origin}/login?code=${auth.link(user, link)}`,
    close: async (grace = 5000) => {
      forget();
      await traffic.stop(grace);
    },
  };
}

/** Remote access requires the operator's permission, and users with credentials. */
function refuseOpenAccess(host: string, { allowRemote, auth, origin, port }: ListenOptions): void {
  if (!isLoopback(host) && !(allowRemote && auth.token === undefined)) {
    throw new GatewayError(
      "config-invalid",
      `listening on ${host}, which is reachable by others, requires --allow-remote and users with tokens`,
    );
  }
  // Report invalid settings before the port is opened.
  hostNamesOf({ host, port, origin });
}

async function open(server: Server, port: number, host: string): Promise<number> {
  server.listen(port, host);
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string")
    throw new GatewayError("config-invalid", "the server has no port");
  // The machine's own files decide what a name resolves to.
  if (isLoopback(host) && !isLoopback(address.address)) {
    server.close();
    throw new GatewayError(
      "config-invalid",
      `${host} resolves to ${address.address}, which is reachable by others`,
    );
  }
  return address.port;
}
