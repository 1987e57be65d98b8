/**
 * A WebSocket between two nodes, with the frames of all forwarded page sockets.
 *
 * Frames are bound to the authenticated TLS connection, and need no signature of their own. TLS numbers and
 * authenticates every record in each direction with keys that only this connection has, so a frame that was
 * recorded, repeated, reordered or made elsewhere never arrives: the connection fails instead. Within the
 * connection, a frame belongs to a stream, and the message that opens a stream is a signed operation: it is
 * accepted once, at its receiver, for its user. Numbers of streams only grow, so a frame cannot get into a later stream.
 *
 * ```
 * o<id> <operation> <hello>   opens a stream     r<id> {code, message}   refuses it
 * f<id> <frame>               a frame            w<id> <cost>            consumed by the receiver
 * e<id> <fault> <message>     a page's fault     b<id> {code, message}   the page's bye
 * c<id>                       the page's socket is closed
 * q<id> <operation> <head>\n<body>   asks a request
 * a<id> <head><body>          its whole answer
 * h<id> <head>                the beginning of an answer in parts
 * d<id> <bytes>               a part             z<id>                   the answer is complete
 * x<id>                       the caller has left, or the answer was cut off
 * ```
 *
 * `r` and `w` are also about requests. Ids of streams and requests are of one sequence.
 *
 * @module
 */
import { MAX_FRAME_BYTES } from "@vitrine/wire";
import type { RawData, WebSocket } from "ws";

/** The address of the connection on a node's listener. */
export const LINK_PATH = "/link";
/** Maximum bytes of a message: a frame, and what opens a stream. */
export const MAX_LINK_MESSAGE = MAX_FRAME_BYTES + 16_384;
/** Bytes in the send buffer above which all streams of the connection wait. */
const BUFFER = 4_194_304;
/** Milliseconds between heartbeats. */
const BEAT = 1000;
/** Silent heartbeats after which the other node counts as lost. */
const MAX_SILENT_BEATS = 4;

/** The kind of a message. */
export type LinkWord = "o" | "f" | "w" | "e" | "c" | "r" | "b" | "z" | "x";
/** The kind of a message with bytes. */
export type BytesWord = "q" | "a" | "h" | "d";

/** Handles the messages of a {@link StreamLink}. */
export interface LinkEvents {
  /** Throws if the message is wrong, which ends the connection. */
  message(word: string, id: number, rest: string): void;
  /** The same for a message with bytes. */
  bytes(word: BytesWord, id: number, rest: Buffer): void;
  /** The send buffer has room again. */
  drained(): void;
  /** The connection has ended. */
  closed(reason: string): void;
}

/** Options of a {@link StreamLink}. */
export interface StreamLinkOptions {
  /** Whether this end sends the pings. */
  readonly pings: boolean;
  /** Milliseconds between heartbeats; 1,000 by default. */
  readonly beat?: number | undefined;
}

const MESSAGE = /^([a-z])(\d{1,15})(?: |$)/;
/** The longest beginning of a message. */
const HEAD = 17;
const BYTES_WORDS: readonly string[] = ["q", "a", "h", "d"] satisfies BytesWord[];
const isBytesWord = (word: string): word is BytesWord => BYTES_WORDS.includes(word);

/** An end of the connection. */
export class StreamLink {
  readonly #socket: WebSocket;
  readonly #events: LinkEvents;
  readonly #timer: NodeJS.Timeout;
  #silentBeats = 0;
  #reason = "the other node closed the connection";
  #isWaiting = false;

  constructor(socket: WebSocket, events: LinkEvents, { pings, beat = BEAT }: StreamLinkOptions) {
    this.#socket = socket;
    this.#events = events;
    const heard = (): void => {
      this.#silentBeats = 0;
    };
    socket.on("message", (data: RawData) => {
      heard();
      // A WebSocket of ws receives buffers unless it is told otherwise.
      if (Buffer.isBuffer(data)) this.#receive(data);
    });
    socket.on("ping", heard).on("pong", heard);
    socket.on("error", (error) => {
      this.#reason = error.message;
    });
    socket.on("close", () => {
      clearInterval(this.#timer);
      events.closed(this.#reason);
    });
    // Counts beats instead of time: a process that was stopped itself must first read what has arrived.
    this.#timer = setInterval(() => {
      if (++this.#silentBeats > MAX_SILENT_BEATS) this.end("the other node does not answer");
      else if (pings) socket.ping();
    }, beat);
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /** Whether the send buffer is above its high-water mark. {@link LinkEvents.drained} follows. */
  get isFull(): boolean {
    return this.#isWaiting;
  }

  send(word: LinkWord, id: number, rest = ""): void {
    this.#send(Buffer.from(rest === "" ? `${word}${id}` : `${word}${id} ${rest}`));
  }

  /** Sends a text and bytes after it. */
  sendBytes(word: BytesWord, id: number, text: string, bytes: Uint8Array): void {
    this.#send(Buffer.concat([Buffer.from(`${word}${id} ${text}`), bytes]));
  }

  #send(message: Buffer): void {
    if (!this.isOpen) return;
    this.#isWaiting ||= this.#socket.bufferedAmount + message.length > BUFFER;
    // Binary, although it is text: the receiver need not check it, because a node has sent it.
    this.#socket.send(message, this.#isWaiting ? () => this.#sent() : undefined);
  }

  /** Closes the connection in order. */
  close(): void {
    this.#socket.close(1001);
  }

  /** Ends the connection at once. */
  end(reason: string): void {
    this.#reason = reason;
    this.#socket.terminate();
  }

  #sent(): void {
    if (!this.#isWaiting || this.#socket.bufferedAmount > BUFFER / 2) return;
    this.#isWaiting = false;
    this.#events.drained();
  }

  #receive(message: Buffer): void {
    const [head = "", word = "", id = ""] = MESSAGE.exec(message.toString("latin1", 0, HEAD)) ?? [];
    try {
      const rest = message.subarray(head.length);
      if (isBytesWord(word)) this.#events.bytes(word, Number(id), rest);
      else this.#events.message(word, Number(id), rest.toString());
    } catch (error) {
      this.end(error instanceof Error ? error.message : "a message was not understood");
    }
  }
}
