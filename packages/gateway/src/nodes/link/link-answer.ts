/**
 * The answer to a request that was asked over the connection between two nodes.
 *
 * @module
 */
import { Readable } from "node:stream";
import { headEnd } from "./answer-socket.js";
import { StreamFlow } from "./flow.js";
import type { NodeAnswer } from "./forwarded-answer.js";
import { LostRequest } from "./lost-request.js";
import type { StreamLink } from "./stream-link.js";

/** A request until its answer is complete. */
export class LinkAnswer {
  readonly #link: StreamLink;
  readonly #id: number;
  readonly #resolve: (answer: NodeAnswer) => void;
  readonly #reject: (error: Error) => void;
  #body: AnswerBody | undefined;

  constructor(
    link: StreamLink,
    id: number,
    resolve: (answer: NodeAnswer) => void,
    reject: (error: Error) => void,
  ) {
    this.#link = link;
    this.#id = id;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  refuse(error: Error): void {
    this.#reject(error);
  }

  whole(bytes: Buffer): void {
    this.#resolve(answerOf(bytes, bytes.subarray(headEnd(bytes))));
  }

  begin(head: Buffer): void {
    this.#body = new AnswerBody((cost) => this.#link.send("w", this.#id, `${cost}`));
    this.#resolve(answerOf(head, this.#body));
  }

  part(bytes: Buffer): void {
    this.#body?.add(bytes);
  }

  complete(): void {
    this.#body?.push(null);
  }

  /** The other node has cut the answer off, or cannot be reached any more. */
  cut(reason: string): void {
    if (this.#body) this.#body.destroy(new Error(reason));
    else this.#reject(new LostRequest(reason, true));
  }
}

/** The parts of a body. The other node sends more when they were read. */
class AnswerBody extends Readable {
  readonly #report: (cost: number) => void;
  readonly #flow = new StreamFlow();
  #unread = 0;

  constructor(report: (cost: number) => void) {
    super();
    this.#report = report;
  }

  add(bytes: Buffer): void {
    this.#unread += bytes.length;
    if (this.push(bytes)) this.#consume();
  }

  override _read(): void {
    this.#consume();
  }

  #consume(): void {
    const cost = this.#flow.consumed(this.#unread);
    this.#unread = 0;
    if (cost > 0) this.#report(cost);
  }
}

/** Reads a head that Node has written at the other node. */
function answerOf(bytes: Buffer, body: NodeAnswer["body"]): NodeAnswer {
  const [first = "", ...lines] = bytes.toString("latin1", 0, headEnd(bytes) - 4).split("\r\n");
  const headers: string[] = [];
  for (const line of lines) {
    const at = line.indexOf(": ");
    headers.push(line.slice(0, at), line.slice(at + 2));
  }
  return { status: Number(first.slice(9, 12)), headers, isEndless: false, body };
}
