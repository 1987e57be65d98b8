/**
 * The path between nodes: the listener for other nodes, and the ways to them.
 *
 * @module
 */
import { GatewayError } from "@vitrine/wire";
import type { Elsewhere } from "../../http/elsewhere.js";
import type { HttpListener } from "../../http/listener.js";
import type { Log } from "../../http/logging.js";
import type { GatewayMetrics } from "../../http/metrics-gateway.js";
import type { SessionRegistry } from "../../sessions/registry.js";
import type { SessionOpener } from "../../sessions/transports/websocket.js";
import type { NodeRef, UserRouting } from "../routing.js";
import { type NodeKeys, nodeKeys } from "./keys.js";
import { NodeListener } from "./node-listener.js";
import { NodePeer } from "./node-peer.js";
import { OperationSigner, OperationVerifier } from "./operation.js";
import { RequestForwarder } from "./request-forwarder.js";
import { SessionForwarder } from "./session-forwarder.js";

/** Options of {@link NodeLinks.open}. */
export interface NodeLinksOptions {
  /** The local address of the listener. */
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** `host:port` as others reach it; from {@link host} and the port by default. */
  readonly address?: string | undefined;
  /** The secret that all nodes share. */
  readonly secret: string;
  readonly log: Log;
  /** Milliseconds until a connection to another node must be open; 3,000 by default. */
  readonly connectTimeout?: number | undefined;
  /** Milliseconds between heartbeats of a connection; 1,000 by default. */
  readonly beat?: number | undefined;
  readonly now?: (() => number) | undefined;
}

/** The node of {@link NodeLinks.start}. */
export interface LinkedNode {
  readonly routing: UserRouting;
  readonly registry: Pick<SessionRegistry, "open">;
  readonly counts: ForwardCounts;
}

/** The metrics of forwarding. */
export type ForwardCounts = Pick<
  GatewayMetrics,
  "forwardedRequests" | "forwardedSessions" | "forwardedFrames" | "forwardFailures"
>;

/** The connections of this node with all others. */
export class NodeLinks {
  /** `host:port` as others reach this node. */
  readonly address: string;
  readonly #options: NodeLinksOptions;
  readonly #keys: NodeKeys;
  readonly #listener: NodeListener;
  readonly #peers = new Map<string, NodePeer>();
  #isClosed = false;

  private constructor(options: NodeLinksOptions, keys: NodeKeys, listener: NodeListener) {
    const { host, address } = options;
    this.#options = options;
    this.#keys = keys;
    this.#listener = listener;
    this.address = address ?? `${host.includes(":") ? `[${host}]` : host}:${listener.port}`;
  }

  /**
   * Opens the listener. It refuses operations until {@link serve}.
   *
   * @throws {GatewayError} `config-invalid` for a short secret
   */
  static async open(options: NodeLinksOptions): Promise<NodeLinks> {
    const { host, port, log, beat } = options;
    const keys = nodeKeys(options.secret);
    return new NodeLinks(options, keys, await NodeListener.open({ host, port, keys, log, beat }));
  }

  /** Connects this node with the others: returns what its listener and its page sockets use. */
  start({ routing, registry, counts }: LinkedNode): StartedLinks {
    const { log, now } = this.#options;
    const signer = new OperationSigner(this.#keys.operation, routing.self.id, now);
    const verifier = new OperationVerifier(this.#keys.operation, routing.self.id, now);
    const peerOf = (node: NodeRef): NodePeer => this.#peerOf(node, signer);
    const onerror = (error: unknown): void =>
      log.warn({ err: error }, "a page could not be connected to its node");
    return {
      elsewhere: new RequestForwarder({ routing, peerOf, counts }),
      connect: async (node) => peerOf(node).connected(),
      sessions: new SessionForwarder({ routing, registry, peerOf, counts, onerror }),
      serve: (listener) =>
        this.#listener.start({
          verifier,
          holds: (user) => routing.holds(user),
          open: (hello, user, transport) => registry.open(hello, user, transport),
          serve: (...request) => listener.serveForwarded(...request),
        }),
    };
  }

  #peerOf(node: NodeRef, signer: OperationSigner): NodePeer {
    if (this.#isClosed) throw new GatewayError("stopping", "the gateway is stopping");
    const name = `${node.id} ${node.address}`;
    const known = this.#peers.get(name);
    if (known) return known;
    const { connectTimeout, beat, log } = this.#options;
    const onend = (ended: NodePeer, reason: string): void => {
      if (this.#peers.get(name) !== ended) return;
      this.#peers.delete(name);
      if (!this.#isClosed) log.warn({ node: node.id, address: node.address, reason }, "lost another node");
    };
    const peer = new NodePeer(node, { keys: this.#keys, signer, connectTimeout, beat, onend });
    this.#peers.set(name, peer);
    return peer;
  }

  /**
   * Refuses new operations, waits for pending ones, at most `grace` milliseconds (5,000 by default), and ends
   * all connections.
   */
  async close(grace = 5000): Promise<void> {
    await this.#listener.close(grace);
    this.#isClosed = true;
    for (const peer of [...this.#peers.values()]) peer.close();
  }
}

/** The result of {@link NodeLinks.start}. */
export interface StartedLinks {
  /** For the listener: forwards requests. */
  readonly elsewhere: Elsewhere;
  /** For page sockets: opens sessions here and at other nodes. */
  readonly sessions: SessionOpener;
  /**
   * Connects to a node.
   *
   * @throws {GatewayError} `node-unreachable`, or the other node's refusal
   */
  connect(node: NodeRef): Promise<void>;
  /** Begins to accept operations of other nodes. */
  serve(listener: Pick<HttpListener, "serveForwarded">): void;
}
