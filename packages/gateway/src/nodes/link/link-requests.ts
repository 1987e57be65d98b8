/**
 * Requests that another node asks over the connection between the nodes.
 *
 * @module
 */
import { IncomingMessage, type ServerResponse } from "node:http";
import { isRecord } from "@vitrine/protocol";
import { GatewayError } from "@vitrine/wire";
import { AnswerSocket } from "./answer-socket.js";
import type { Operation, OperationTarget, OperationVerifier } from "./operation.js";
import type { StreamLink } from "./stream-link.js";

/** The node of {@link LinkRequests}. */
export interface RequestHost {
  readonly verifier: OperationVerifier;
  holds(user: string): boolean;
  /** @throws {GatewayError} `stopping` */
  checkRunning(): void;
  /** Serves a request whose operation was accepted. */
  ask(incoming: IncomingMessage, outgoing: ServerResponse, operation: Operation): void;
}

/** The pending requests of a connection. */
export class LinkRequests {
  readonly #link: StreamLink;
  readonly #host: RequestHost;
  readonly #answers = new Map<number, AnswerSocket>();

  constructor(link: StreamLink, host: RequestHost) {
    this.#link = link;
    this.#host = host;
  }

  /**
   * Serves a request: `<operation> <head>\n<body>`.
   *
   * @throws {GatewayError} if it is refused; nothing was done
   */
  ask(id: number, message: Buffer): void {
    const line = message.indexOf("\n");
    const text = message.toString("utf8", 0, line);
    const at = text.indexOf(" ");
    const target = readTarget(text.slice(at + 1));
    this.#host.checkRunning();
    const operation = this.#host.verifier.verify(text.slice(0, at), target);
    if (!this.#host.holds(operation.user))
      throw new GatewayError("not-owner", "this node does not have the user's sessions");
    const socket = new AnswerSocket(this.#link, id, () => this.#answers.delete(id));
    this.#answers.set(id, socket);
    const incoming = incomingOf(socket, target, message.subarray(line + 1));
    this.#host.ask(incoming, socket.answerTo(incoming), operation);
  }

  credited(id: number, bytes: number): void {
    this.#answers.get(id)?.credited(bytes);
  }

  leave(id: number): void {
    this.#answers.get(id)?.leave();
  }

  drained(): void {
    for (const answer of this.#answers.values()) answer.drained();
  }

  closed(): void {
    for (const answer of [...this.#answers.values()]) answer.leave();
  }
}

/** The request as Node's parser would have made it. */
function incomingOf(socket: AnswerSocket, target: OperationTarget, body: Buffer): IncomingMessage {
  const incoming = new IncomingMessage(socket);
  incoming.httpVersion = "1.1";
  incoming.httpVersionMajor = 1;
  incoming.httpVersionMinor = 1;
  incoming.method = target.method;
  incoming.url = target.url;
  incoming.headers = { ...target.headers };
  if (body.length > 0) incoming.push(body);
  incoming.push(null);
  incoming.complete = true;
  return incoming;
}

function readTarget(text: string): OperationTarget {
  const { method, url, headers } = Object(JSON.parse(text));
  if (typeof method !== "string" || typeof url !== "string" || !isRecord(headers)) throw misread();
  const read: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== "string" && !isTexts(value)) throw misread();
    read[name] = value;
  }
  return { method, url, headers: read };
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === "string");

const misread = (): GatewayError =>
  new GatewayError("operation-invalid", "a request between nodes was not understood");
