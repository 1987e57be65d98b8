/**
 * The way to another node: an agent for requests, and one WebSocket for all page sockets. Its heartbeat also
 * watches over the requests: nothing waits for a node that has stopped.
 *
 * @module
 */
import type { ClientRequest, IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { text } from "node:stream/consumers";
import type { GatewayError } from "@vitrine/wire";
import type { NodeRef } from "../routing.js";
import { DialledLink } from "./dialled-link.js";
import type { ForwardedSession } from "./forwarded-session.js";
import { type NodeKeys, tlsOfClient } from "./keys.js";
import { OPERATION_HEADER, type OperationCaller, type OperationSigner } from "./operation.js";
import { REFUSED_HEADER, readRefusal } from "./refusal.js";

/** Milliseconds until a connection must be open. */
const CONNECT_TIMEOUT = 3000;
/** Milliseconds that an idle connection is kept: less than the other node keeps it, which must not reset it in use. */
const IDLE = 20_000;

/** Options of a {@link NodePeer}. */
export interface NodePeerOptions {
  readonly keys: NodeKeys;
  readonly signer: OperationSigner;
  /** Milliseconds until a connection must be open; 3,000 by default. */
  readonly connectTimeout?: number | undefined;
  /** Milliseconds between heartbeats; 1,000 by default. */
  readonly beat?: number | undefined;
  /** Called when this way has ended: the next operation needs a new one. */
  readonly onend: (peer: NodePeer, reason: string) => void;
}

/** A request for another node. */
export interface NodeRequest {
  readonly caller: OperationCaller;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly bytes: Buffer;
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
}

/** A request without an answer. */
export class LostRequest extends Error {
  override readonly name = "LostRequest";
  /** Whether the other node may have received it. */
  readonly mayHaveRun: boolean;

  constructor(cause: unknown, mayHaveRun: boolean) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.mayHaveRun = mayHaveRun;
  }
}

/** A way to another node, from its first use until it breaks. */
export class NodePeer {
  readonly node: NodeRef;
  readonly #options: NodePeerOptions;
  readonly #agent: Agent;
  readonly #host: { readonly hostname: string; readonly port: string };
  readonly #link: Promise<DialledLink>;
  readonly #pending = new Set<ClientRequest>();

  constructor(node: NodeRef, options: NodePeerOptions) {
    this.node = node;
    this.#options = options;
    const { keys, signer, beat, connectTimeout: timeout = CONNECT_TIMEOUT } = options;
    const { hostname, port } = new URL(`https://${node.address}`);
    this.#host = { hostname: hostname.replace(/^\[|\]$/g, ""), port: port || "443" };
    const connections = { keepAlive: true, maxFreeSockets: 256, timeout: IDLE, maxCachedSessions: 0 };
    this.#agent = new Agent({ ...connections, ...tlsOfClient(keys) });
    const onclosed = (reason: string): void => this.#end(new Error(reason));
    this.#link = DialledLink.dial(node, { keys, signer, timeout, beat, onclosed });
    this.#link.catch((error: GatewayError) => {
      if (error.data.code === "node-unreachable") this.#end(error);
      // The node has refused the connection, and will refuse requests for the same reason.
      else options.onend(this, error.message);
    });
  }

  /**
   * Sends a request; resolves with the head of its answer.
   *
   * @throws {GatewayError} the other node's refusal
   * @throws {LostRequest}
   */
  request({ caller, method, url, headers, bytes, signal }: NodeRequest): Promise<IncomingMessage> {
    const operation = this.#options.signer.sign(this.node.id, caller, { method, url, headers }, bytes);
    const signed = { ...headers, [OPERATION_HEADER]: operation };
    return new Promise((resolve, reject) => {
      let mayHaveRun = false;
      const sent = request({ ...this.#host, path: url, method, headers: signed, agent: this.#agent, signal });
      this.#pending.add(sent);
      this.#whenConnected(sent, () => {
        mayHaveRun = true;
      });
      sent.on("close", () => this.#pending.delete(sent));
      sent.on("error", (error) => reject(new LostRequest(error, mayHaveRun)));
      sent.on("response", (response) => {
        if (response.headers[REFUSED_HEADER] === undefined) resolve(response);
        else text(response).then((body) => reject(readRefusal(body)), reject);
      });
      sent.end(bytes.length > 0 ? bytes : undefined);
    });
  }

  /** Nothing is sent before the other node has proved that it knows the secret. */
  #whenConnected(sent: ClientRequest, connected: () => void): void {
    sent.on("socket", (socket) => {
      if (sent.reusedSocket) return connected();
      const { connectTimeout = CONNECT_TIMEOUT } = this.#options;
      const timer = setTimeout(() => sent.destroy(new Error("the node does not answer")), connectTimeout);
      sent.on("close", () => clearTimeout(timer));
      socket.once("secureConnect", () => {
        clearTimeout(timer);
        connected();
      });
    });
  }

  /**
   * Opens a stream for a page's socket.
   *
   * @throws {GatewayError} the other node's refusal, or `node-unreachable`
   */
  async open(session: ForwardedSession, user: string, hello: string): Promise<void> {
    const link = await this.#link;
    await link.open(session, user, hello);
  }

  /** Ends everything that uses this way. */
  close(): void {
    this.#link.then((link) => link.close()).catch(() => {});
    this.#end(new Error("this node is stopping"));
  }

  #end(why: Error): void {
    for (const sent of this.#pending) sent.destroy(why);
    this.#agent.destroy();
    this.#options.onend(this, why.message);
  }
}
