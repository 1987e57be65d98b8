/**
 * The sending end of the connection between two nodes: page sockets of this node whose sessions are at the
 * other one, and requests to it.
 *
 * @module
 */
import { text } from "node:stream/consumers";
import { GatewayError } from "@vitrine/wire";
import { WebSocket } from "ws";
import type { NodeRef } from "../routing.js";
import { STREAM_TARGET } from "./accepted-link.js";
import type { NodeAnswer } from "./forwarded-answer.js";
import type { ForwardedSession } from "./forwarded-session.js";
import { type NodeKeys, tlsOfClient } from "./keys.js";
import { LinkAnswer } from "./link-answer.js";
import { LostRequest } from "./lost-request.js";
import type { NodeRequest } from "./node-request.js";
import { OPERATION_HEADER, type OperationCaller, type OperationSigner } from "./operation.js";
import { cannotReach, REFUSED_HEADER, readRefusal, unreachable } from "./refusal.js";
import { type BytesWord, LINK_PATH, type LinkEvents, MAX_LINK_MESSAGE, StreamLink } from "./stream-link.js";

/** The target of the operation that opens the connection itself. */
export const LINK_TARGET = { method: "GET", url: LINK_PATH, headers: {} };
/** Nodes are not users: the connection itself acts for nobody. */
const NOBODY: OperationCaller = { user: "", origin: "", address: "" };

/** Options of {@link DialledLink.dial}. */
export interface DialOptions {
  readonly keys: NodeKeys;
  readonly signer: OperationSigner;
  /** Milliseconds until the connection must be open. */
  readonly timeout: number;
  /** Milliseconds between heartbeats; 1,000 by default. */
  readonly beat?: number | undefined;
  readonly onclosed: (reason: string) => void;
}

interface Opening {
  readonly session: ForwardedSession;
  readonly resolve: () => void;
  readonly reject: (error: GatewayError) => void;
}

/** Streams that this node opened, and requests that it asked. */
export class DialledLink implements LinkEvents {
  readonly #node: NodeRef;
  readonly #options: DialOptions;
  readonly #link: StreamLink;
  readonly #opening = new Map<number, Opening>();
  readonly #streams = new Map<number, ForwardedSession>();
  readonly #answers = new Map<number, LinkAnswer>();
  #last = 0;

  private constructor(node: NodeRef, socket: WebSocket, options: DialOptions) {
    this.#node = node;
    this.#options = options;
    this.#link = new StreamLink(socket, this, { pings: true, beat: options.beat });
  }

  /**
   * Connects to a node.
   *
   * @throws {GatewayError} the node's refusal, or `node-unreachable`
   */
  static dial(node: NodeRef, options: DialOptions): Promise<DialledLink> {
    const { keys, signer, timeout } = options;
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(`wss://${node.address}${LINK_PATH}`, {
        ...tlsOfClient(keys),
        headers: { [OPERATION_HEADER]: signer.sign(node.id, NOBODY, LINK_TARGET, "") },
        handshakeTimeout: timeout,
        perMessageDeflate: false,
        maxPayload: MAX_LINK_MESSAGE,
        // A mask protects old proxies from what pages send. There is none inside of TLS.
        generateMask: (mask) => void mask.fill(0),
      });
      const fail = (cause: unknown): void => reject(cannotReach(node, cause));
      socket.once("error", fail);
      socket.once("unexpected-response", (_request, response) => {
        const isRefusal = response.headers[REFUSED_HEADER] !== undefined;
        text(response).then((body) => (isRefusal ? reject(readRefusal(body)) : fail(body)), fail);
      });
      socket.once("open", () => resolve(new DialledLink(node, socket, options)));
    });
  }

  /**
   * Opens a stream for a page's socket. When this resolves, the session has answered its hello.
   *
   * @throws {GatewayError} the node's refusal, or `node-unreachable`
   */
  open(session: ForwardedSession, user: string, hello: string): Promise<void> {
    const id = ++this.#last;
    const caller = { ...NOBODY, user };
    const operation = this.#options.signer.sign(this.#node.id, caller, STREAM_TARGET, hello);
    return new Promise((resolve, reject) => {
      if (!this.#link.isOpen) return reject(this.#wasLost());
      this.#opening.set(id, { session, resolve, reject });
      this.#link.send("o", id, `${operation} ${hello}`);
    });
  }

  /** Whether requests should not wait for the other ones here. */
  get isFull(): boolean {
    return this.#link.isFull;
  }

  /**
   * Sends a request; resolves with the head of its answer.
   *
   * @throws {GatewayError} the other node's refusal
   * @throws {LostRequest}
   */
  request({ caller, method, url, headers, bytes, onleave }: NodeRequest): Promise<NodeAnswer> {
    if (!this.#link.isOpen) return Promise.reject(new LostRequest(this.#wasLost(), false));
    const id = ++this.#last;
    const target = { method, url, headers };
    const operation = this.#options.signer.sign(this.#node.id, caller, target, bytes);
    return new Promise((resolve, reject) => {
      this.#answers.set(id, new LinkAnswer(this.#link, id, resolve, reject));
      onleave(() => this.#leave(id));
      this.#link.sendBytes("q", id, `${operation} ${JSON.stringify(target)}\n`, bytes);
    });
  }

  #leave(id: number): void {
    const answer = this.#answers.get(id);
    if (!answer) return;
    this.#answers.delete(id);
    this.#link.send("x", id);
    answer.cut("the caller has left");
  }

  bytes(word: BytesWord, id: number, rest: Buffer): void {
    const answer = this.#answers.get(id);
    if (word === "d") answer?.part(rest);
    else if (word === "h") answer?.begin(rest);
    else if (word === "a") {
      this.#answers.delete(id);
      answer?.whole(rest);
    } else throw misunderstood();
  }

  message(word: string, id: number, rest: string): void {
    if (word === "z" || word === "x" || this.#answers.has(id)) this.#settle(word, id, rest);
    else this.#stream(word, id, rest);
  }

  /** A request's last message. */
  #settle(word: string, id: number, rest: string): void {
    const answer = this.#answers.get(id);
    this.#answers.delete(id);
    if (word === "z") answer?.complete();
    else if (word === "x") answer?.cut("the other node has cut the answer off");
    else if (word === "r") answer?.refuse(readRefusal(rest));
    else throw misunderstood();
  }

  #stream(word: string, id: number, rest: string): void {
    const opening = this.#opening.get(id);
    this.#opening.delete(id);
    if (word === "r") {
      opening?.reject(readRefusal(rest));
      return;
    }
    if (opening) {
      this.#streams.set(id, opening.session);
      opening.session.opened(this.#link, id, () => this.#streams.delete(id));
      opening.resolve();
    }
    const stream = this.#streams.get(id);
    if (word === "f") stream?.deliver(rest);
    else if (word === "w") stream?.credited(Number(rest));
    else if (word === "b") stream?.dismiss(rest);
    else throw misunderstood();
  }

  drained(): void {
    for (const stream of this.#streams.values()) stream.drained();
  }

  closed(reason: string): void {
    for (const { reject } of this.#opening.values()) reject(this.#wasLost());
    this.#opening.clear();
    for (const answer of this.#answers.values()) answer.cut(reason);
    this.#answers.clear();
    // Pages come back by themselves, and resume or start anew at the owner of that time.
    const bye = { code: "gap", message: "the connection to the node with this session was lost" };
    for (const stream of [...this.#streams.values()]) stream.end(bye);
    this.#options.onclosed(reason);
  }

  /** Closes the connection in order. */
  close(): void {
    this.#link.close();
  }

  #wasLost(): GatewayError {
    return unreachable(`the connection to node ${this.#node.id} was lost`);
  }
}

const misunderstood = (): GatewayError =>
  new GatewayError("operation-invalid", "a message between nodes was not understood");
