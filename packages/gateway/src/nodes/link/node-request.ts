/**
 * Requests for other nodes, and those that get a connection of their own.
 *
 * @module
 */
import type { ClientRequest } from "node:http";
import { Agent, request } from "node:https";
import { text } from "node:stream/consumers";
import type { NodeRef } from "../routing.js";
import type { NodeAnswer } from "./forwarded-answer.js";
import { type NodeKeys, tlsOfClient } from "./keys.js";
import { LostRequest } from "./lost-request.js";
import { OPERATION_HEADER, type OperationCaller, type OperationSigner } from "./operation.js";
import { REFUSED_HEADER, readRefusal } from "./refusal.js";

/** Milliseconds that an idle connection is kept: less than the other node keeps it, which must not reset it in use. */
const IDLE = 20_000;

/** A request for another node. */
export interface NodeRequest {
  readonly caller: OperationCaller;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly bytes: Buffer;
  /** Whether the answer has no end. */
  readonly isEndless: boolean;
  /** Calls the listener when the caller disconnects before the answer is complete. */
  readonly onleave: (listener: () => void) => void;
}

/** Options of {@link RequestAgent}. */
export interface RequestAgentOptions {
  readonly keys: NodeKeys;
  readonly signer: OperationSigner;
  /** Milliseconds until a connection must be open. */
  readonly timeout: number;
}

/** Sends requests on connections of their own: large bodies, and answers without an end. */
export class RequestAgent {
  readonly #node: NodeRef;
  readonly #options: RequestAgentOptions;
  readonly #agent: Agent;
  readonly #host: { readonly hostname: string; readonly port: string };
  readonly #pending = new Set<ClientRequest>();

  constructor(node: NodeRef, options: RequestAgentOptions) {
    this.#node = node;
    this.#options = options;
    const { hostname, port } = new URL(`https://${node.address}`);
    this.#host = { hostname: hostname.replace(/^\[|\]$/g, ""), port: port || "443" };
    const connections = { keepAlive: true, maxFreeSockets: 256, timeout: IDLE, maxCachedSessions: 0 };
    this.#agent = new Agent({ ...connections, ...tlsOfClient(options.keys) });
  }

  /**
   * Sends a request; resolves with the head of its answer.
   *
   * @throws {GatewayError} the other node's refusal
   * @throws {LostRequest}
   */
  request({ caller, method, url, headers, bytes, onleave }: NodeRequest): Promise<NodeAnswer> {
    const operation = this.#options.signer.sign(this.#node.id, caller, { method, url, headers }, bytes);
    const signed = { ...headers, [OPERATION_HEADER]: operation };
    return new Promise((resolve, reject) => {
      let mayHaveRun = false;
      const sent = request({ ...this.#host, path: url, method, headers: signed, agent: this.#agent });
      this.#pending.add(sent);
      this.#whenConnected(sent, () => {
        mayHaveRun = true;
      });
      sent.on("close", () => this.#pending.delete(sent));
      sent.on("error", (error) => reject(new LostRequest(error, mayHaveRun)));
      sent.on("response", (body) => {
        const { statusCode: status = 502, headers, rawHeaders } = body;
        const isEndless =
          headers["content-length"] === undefined && headers["transfer-encoding"] === undefined;
        if (headers[REFUSED_HEADER] === undefined) resolve({ status, headers: rawHeaders, isEndless, body });
        else text(body).then((refusal) => reject(readRefusal(refusal)), reject);
      });
      onleave(() => sent.destroy(new Error("the caller has left")));
      sent.end(bytes.length > 0 ? bytes : undefined);
    });
  }

  /** Nothing is sent before the other node has proved that it knows the secret. */
  #whenConnected(sent: ClientRequest, connected: () => void): void {
    sent.on("socket", (socket) => {
      if (sent.reusedSocket) return connected();
      const late = (): void => void sent.destroy(new Error("the node does not answer"));
      const timer = setTimeout(late, this.#options.timeout);
      sent.on("close", () => clearTimeout(timer));
      socket.once("secureConnect", () => {
        clearTimeout(timer);
        connected();
      });
    });
  }

  end(why: Error): void {
    for (const sent of this.#pending) sent.destroy(why);
    this.#agent.destroy();
  }
}
