/**
 * The way to another node: one WebSocket for page sockets and requests, and an agent for the requests that need connections of
 * their own. The heartbeat of the WebSocket also watches over those: nothing waits for a node that has stopped.
 *
 * @module
 */
import type { GatewayError } from "@vitrine/wire";
import type { NodeRef } from "../routing.js";
import { DialledLink } from "./dialled-link.js";
import type { NodeAnswer } from "./forwarded-answer.js";
import type { ForwardedSession } from "./forwarded-session.js";
import type { NodeKeys } from "./keys.js";
import { type NodeRequest, RequestAgent } from "./node-request.js";
import type { OperationSigner } from "./operation.js";

/** Milliseconds until a connection must be open. */
const CONNECT_TIMEOUT = 3000;
/** Maximum bytes of a body on the shared connection: frames of pages must not wait for a large one. */
const MAX_SHARED_BODY = 65_536;

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

/** A way to another node, from its first use until it breaks. */
export class NodePeer {
  readonly node: NodeRef;
  readonly #options: NodePeerOptions;
  readonly #agent: RequestAgent;
  readonly #link: Promise<DialledLink>;

  constructor(node: NodeRef, options: NodePeerOptions) {
    this.node = node;
    this.#options = options;
    const { keys, signer, beat, connectTimeout: timeout = CONNECT_TIMEOUT } = options;
    this.#agent = new RequestAgent(node, { keys, signer, timeout });
    const onclosed = (reason: string): void => this.#end(new Error(reason));
    this.#link = DialledLink.dial(node, { keys, signer, timeout, beat, onclosed });
    this.#link.catch((error: GatewayError) => {
      if (error.data.code === "node-unreachable") this.#end(error);
      // The node has refused the connection, and will refuse requests for the same reason.
      else options.onend(this, error.message);
    });
  }

  /**
   * Resolves when the connection is open.
   *
   * @throws {GatewayError} the other node's refusal, or `node-unreachable`
   */
  async connected(): Promise<void> {
    await this.#link;
  }

  /**
   * Sends a request; resolves with the head of its answer.
   *
   * @throws {GatewayError} the other node's refusal, or `node-unreachable`
   * @throws {LostRequest}
   */
  async request(request: NodeRequest): Promise<NodeAnswer> {
    const link = await this.#link;
    const isShared = !request.isEndless && request.bytes.length <= MAX_SHARED_BODY && !link.isFull;
    return (isShared ? link : this.#agent).request(request);
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
    this.#agent.end(why);
    this.#options.onend(this, why.message);
  }
}
