/**
 * The connection of an answer that goes to another node in messages.
 *
 * @module
 */
import { type IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { StreamFlow } from "./flow.js";
import type { StreamLink } from "./stream-link.js";

/** Maximum bytes of a message with a part of an answer: frames of pages must not wait for a large one. */
export const PART = 65_536;

interface Chunk {
  readonly chunk: string | Uint8Array;
  readonly encoding: BufferEncoding;
}

const bytesOf = ({ chunk, encoding }: Chunk): Uint8Array =>
  typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk;

/**
 * Takes the bytes that Node's `ServerResponse` writes, so that routes need not know where an answer goes. It ends with
 * its answer, or cuts it off.
 */
export class AnswerSocket extends Socket {
  /** For the access log. */
  override bytesWritten = 0;
  readonly #link: StreamLink;
  readonly #id: number;
  readonly #flow = new StreamFlow();
  readonly #closed: () => void;
  #outgoing: ServerResponse | undefined;
  #isBegun = false;
  /** The other node knows that there is no more to come. */
  #isOver = false;
  /** Continues when the other node has room. */
  #waiting: (() => void) | undefined;

  constructor(link: StreamLink, id: number, closed: () => void) {
    super();
    this.#link = link;
    this.#id = id;
    this.#closed = closed;
    // An answer that breaks off tells its caller by itself.
    this.on("error", () => {});
  }

  /** The answer to a request. */
  answerTo(incoming: IncomingMessage): ServerResponse {
    const outgoing = new ServerResponse(incoming);
    // Messages have lengths of their own.
    outgoing.useChunkedEncodingByDefault = false;
    outgoing.once("finish", () => this.#complete());
    // As Node's server does for the sockets that it has accepted.
    this.on("drain", () => outgoing.emit("drain"));
    outgoing.assignSocket(this);
    this.#outgoing = outgoing;
    return outgoing;
  }

  /** The caller has left, or the connection to its node is lost. */
  leave(): void {
    this.#isOver = true;
    this.destroy();
  }

  credited(bytes: number): void {
    this.#flow.credited(bytes);
    this.drained();
  }

  /** Sends more, if the other node has room. */
  drained(): void {
    const proceed = this.#waiting;
    this.#waiting = undefined;
    proceed?.();
  }

  override _write(chunk: string | Uint8Array, encoding: BufferEncoding, done: () => void): void {
    this.#take(bytesOf({ chunk, encoding }), done);
  }

  override _writev(chunks: Chunk[], done: () => void): void {
    this.#take(Buffer.concat(chunks.map(bytesOf)), done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#waiting = undefined;
    if (!this.#isOver) this.#link.send("x", this.#id);
    this.#isOver = true;
    this.#closed();
    super._destroy(error, done);
  }

  #take(bytes: Uint8Array, done: () => void): void {
    this.bytesWritten += bytes.length;
    if (this.#isBegun) this.#sendParts(bytes, done);
    // Node marks an answer as ended only after it has written its last bytes.
    else process.nextTick(() => this.#begin(bytes, done));
  }

  #begin(bytes: Uint8Array, done: () => void): void {
    this.#isBegun = true;
    if (this.#isOver) return;
    const isWhole = bytes.length <= PART && this.#outgoing?.writableEnded === true;
    this.#isOver = isWhole && !this.#link.isFull;
    if (this.#isOver) {
      this.#link.sendBytes("a", this.#id, "", bytes);
      done();
    } else {
      // The bytes of a head are always written at once.
      const end = headEnd(bytes);
      this.#link.sendBytes("h", this.#id, "", bytes.subarray(0, end));
      this.#sendParts(bytes.subarray(end), done);
    }
  }

  #sendParts(bytes: Uint8Array, done: () => void): void {
    let at = 0;
    const proceed = (): void => {
      for (; at < bytes.length; at += PART) {
        if (this.#flow.isFull || this.#link.isFull) {
          this.#waiting = proceed;
          return;
        }
        const part = bytes.subarray(at, at + PART);
        this.#link.sendBytes("d", this.#id, "", part);
        this.#flow.sent(part.length);
      }
      done();
    };
    proceed();
  }

  #complete(): void {
    if (!this.#isOver) this.#link.send("z", this.#id);
    this.#isOver = true;
    // Node is still in the write that has ended the answer: it would make an error for it.
    process.nextTick(() => this.destroy());
  }
}

/** The index after the head of an answer. */
export function headEnd(bytes: Uint8Array): number {
  const at = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).indexOf("\r\n\r\n");
  return at + 4;
}
