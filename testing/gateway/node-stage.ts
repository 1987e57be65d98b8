/**
 * Several nodes of one gateway in this process: their real listeners and page sockets, with the lines between
 * them, which a test can cut or freeze. Who owns which user is kept in memory.
 */
import { createHash } from "node:crypto";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { WebSocket } from "ws";
import type { GatewayApi } from "../../packages/gateway/src/http/api.js";
import { Authentication } from "../../packages/gateway/src/http/auth.js";
import { type HttpListener, listen } from "../../packages/gateway/src/http/listener.js";
import { createLog } from "../../packages/gateway/src/http/logging.js";
import { Metrics } from "../../packages/gateway/src/http/metrics.js";
import { gatewayMetrics } from "../../packages/gateway/src/http/metrics-gateway.js";
import { NodeLinks, type NodeLinksOptions } from "../../packages/gateway/src/nodes/link/node-links.js";
import type { Location, NodeRef, UserRouting } from "../../packages/gateway/src/nodes/routing.js";
import { type BrowserSession, SessionRegistry } from "../../packages/gateway/src/sessions/registry.js";
import { HttpTransports } from "../../packages/gateway/src/sessions/transports/http.js";
import type { InputRates } from "../../packages/gateway/src/sessions/transports/rate.js";
import { WebSocketTransports } from "../../packages/gateway/src/sessions/transports/websocket.js";
import {
  type ConnectionOptions,
  connectGateway,
  type GatewayClient,
} from "../../packages/host/src/gateway/index.js";
import { spyApi } from "./http-stage.js";

/** The secret of all nodes, unless a test wants another one. */
export const SECRET = "a secret of the nodes with thirty-two bytes";
const TOKEN = "a-token-of-at-least-twenty-characters";
const tokenOf = (user: string): string => `${TOKEN}-${user}`;
const USERS = ["ada", "bob"].map((name) => ({
  name,
  tokenHash: createHash("sha256").update(tokenOf(name)).digest("hex"),
}));

/** Owners of users, as all nodes see them. */
export class Owners {
  readonly nodes = new Map<string, NodeRef>();
  readonly owners = new Map<string, string>();
  readonly forgotten: string[] = [];
  readonly lookups: string[] = [];

  /** The view of one node. It may believe something old until it forgets it. */
  routing(self: NodeRef, believed: Map<string, NodeRef>): UserRouting {
    return {
      self,
      holds: (user) => this.owners.get(user) === self.id,
      locate: async (user): Promise<Location> => {
        this.lookups.push(`${self.id} ${user}`);
        const old = believed.get(user);
        if (old) return { kind: "there", node: old };
        const owner = this.owners.get(user) ?? self.id;
        this.owners.set(user, owner);
        const node = this.nodes.get(owner);
        if (!node) throw new Error(`there is no node ${owner}`);
        return owner === self.id ? { kind: "here" } : { kind: "there", node };
      },
      forget: (user, node) => {
        believed.delete(user);
        this.forgotten.push(`${self.id} ${user} ${node.id}`);
      },
    };
  }
}

/** A TCP line in front of a node's listener for others. */
class NodeLine {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isFrozen = false;

  constructor(port: () => number) {
    this.#server = createServer((client) => {
      const server = connect(port(), "127.0.0.1");
      for (const [from, to] of [
        [client, server],
        [server, client],
      ] as const) {
        this.#sockets.add(from);
        from.on("error", () => to.destroy());
        from.on("close", () => {
          this.#sockets.delete(from);
          to.destroy();
        });
        if (this.#isFrozen) from.pause();
        else from.pipe(to);
      }
    });
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get connections(): number {
    return this.#sockets.size / 2;
  }

  cut(): void {
    for (const socket of [...this.#sockets]) socket.resetAndDestroy();
  }

  /** Accepts new connections, and passes nothing on. */
  mute(): void {
    this.#isFrozen = true;
  }

  /** The same for connections that are open. */
  freeze(): void {
    this.mute();
    for (const socket of this.#sockets) socket.unpipe().pause();
  }

  close(): void {
    this.#server.close();
    for (const socket of [...this.#sockets]) socket.destroy();
  }
}

export interface StageNodeOptions
  extends Partial<Pick<NodeLinksOptions, "secret" | "now" | "beat" | "connectTimeout">> {
  api?: Partial<GatewayApi>;
  /** The rates of its sessions. */
  rates?: InputRates;
}

/** A node. */
export interface StageNode {
  readonly id: string;
  readonly ref: NodeRef;
  readonly links: NodeLinks;
  readonly listener: HttpListener;
  readonly registry: SessionRegistry;
  readonly sockets: WebSocketTransports;
  readonly streams: HttpTransports;
  readonly line: NodeLine;
  /** Calls of its API. */
  readonly calls: unknown[][];
  readonly logged: string[];
  /** Its sessions, newest last. */
  readonly sessions: BrowserSession[];
  /** Messages that its sessions received. */
  readonly received: string[];
  /** Why its sessions ended. */
  readonly ended: string[];
  /** Old owners of users, which it believes until it forgets them. */
  readonly believed: Map<string, NodeRef>;
}

export class NodeStage {
  readonly owners = new Owners();
  readonly nodes: StageNode[] = [];
  readonly #pages: GatewayClient[] = [];

  async add(id: string, options: StageNodeOptions = {}): Promise<StageNode> {
    const { api, rates, secret = SECRET, ...rest } = options;
    const calls: unknown[][] = [];
    const logged: string[] = [];
    const log = createLog({ level: "debug", stream: { write: (line) => void logged.push(line) } });
    const links = await NodeLinks.open({ host: "127.0.0.1", port: 0, secret, log, ...rest });
    const line = new NodeLine(() => Number(links.address.split(":")[1]));
    const ref = { id, address: await line.open() };
    this.owners.nodes.set(id, ref);
    const believed = new Map<string, NodeRef>();
    const routing = this.owners.routing(ref, believed);
    const sessions: BrowserSession[] = [];
    const received: string[] = [];
    const ended: string[] = [];
    const registry = new SessionRegistry({
      grace: 60_000,
      perUser: 10_000,
      rates,
      onerror: (error) => logged.push(String(error)),
      onsession: (session) => {
        sessions.push(session);
        return {
          onmessage: (channel, text) => {
            received.push(text);
            const { id: request } = JSON.parse(text) as { id?: number };
            const answer = { jsonrpc: "2.0", id: request, result: { node: id, servers: [] } };
            if (request !== undefined) session.send(channel, JSON.stringify(answer));
          },
          onend: (reason) => ended.push(reason),
        };
      },
    });
    const metrics = new Metrics();
    const counts = gatewayMetrics(metrics);
    const started = links.start({ routing, registry, counts });
    const sockets = new WebSocketTransports(started.sessions);
    const streams = new HttpTransports(registry);
    const listener = await listen({
      port: 0,
      api: { ...spyApi(calls), ...api },
      auth: new Authentication({ users: USERS }),
      transports: {
        upgrade: (request, socket, head, caller) => sockets.upgrade(request, socket, head, caller),
        frames: (asked, caller) => streams.post(asked, caller),
        events: (asked, outgoing, caller) => streams.stream(asked, outgoing, caller),
      },
      metrics,
      counts,
      log,
      elsewhere: started.elsewhere,
    });
    started.serve(listener);
    const parts = { id, ref, links, listener, registry, sockets, streams, line };
    const node = { ...parts, calls, logged, sessions, received, ended, believed };
    this.nodes.push(node);
    return node;
  }

  /** A page of the real client, connected to this node. */
  page(at: StageNode, options: Partial<ConnectionOptions> = {}, user = "ada"): GatewayClient {
    const headers = headersOf(at, user);
    class Socket extends WebSocket {
      constructor(url: string | URL) {
        super(url, { headers });
      }
    }
    const page = connectGateway({
      url: `${at.listener.origin}/api/session`,
      // The part of the browser's WebSocket that the client uses.
      WebSocket: Socket as unknown as typeof globalThis.WebSocket,
      fetch: (url, init) =>
        fetch(url, { ...init, headers: { ...recordOfHeaders(init?.headers), ...headers } }),
      storage: { getItem: () => null, setItem() {}, removeItem() {} },
      ...options,
    });
    this.#pages.push(page);
    return page;
  }

  async close(): Promise<void> {
    for (const page of this.#pages) page.close();
    for (const { registry, streams, sockets } of this.nodes) {
      registry.close();
      streams.close();
      await sockets.close(100);
    }
    await Promise.all(
      this.nodes.map(async ({ listener, links, line }) => {
        await listener.close(0);
        await links.close(0);
        line.close();
      }),
    );
  }
}

const recordOfHeaders = (headers: RequestInit["headers"]): Record<string, string> =>
  Object.fromEntries(new Headers(headers));

/** The headers of a correct program of this user. */
export const headersOf = ({ listener }: StageNode, user = "ada"): Record<string, string> => ({
  authorization: `Bearer ${tokenOf(user)}`,
  origin: listener.origin,
  "content-type": "application/json",
});
