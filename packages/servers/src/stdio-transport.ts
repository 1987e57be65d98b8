/**
 * MCP over a program's standard streams.
 *
 * @module
 */
import type { Readable } from "node:stream";
import { type JSONRPCMessage, parseJSONRPCMessage, type Transport } from "@modelcontextprotocol/client";
import { isRecord } from "@vitrine/protocol";
import { GatewayError } from "@vitrine/wire";
import { explainExit } from "./exit-cause.js";
import type { Exit, Isolation, Launched } from "./isolation/isolation.js";
import { LineReader } from "./line-reader.js";
import { TextTail } from "./support/text-tail.js";
import { answeredByHead, answeredByTail, tooLarge } from "./too-large.js";
import type { WireTap } from "./wire-tap.js";

/** Receives the answers to requests that bypassed the official client. */
export interface AnswerTaker {
  /** Whether it took the message. */
  take(message: Readonly<Record<string, unknown>>, line?: string): boolean;
  /** Like {@link take}, for the text of a large message. */
  takeText(line: string): boolean;
  /**
   * Rejects the request of this id, whose answer is unusable. Without an id, it is unknown which request was
   * answered.
   */
  refuse(id: string | number | undefined, error: GatewayError): boolean;
}

/** Options of {@link StdioTransport}. */
export interface StdioTransportOptions {
  /** Maximum size in bytes of a message from the server; 64 MB by default. */
  message?: number | undefined;
  /** Bytes that may be queued for a server that does not read; 64 MB by default. */
  queue?: number | undefined;
  /** Limits of the program, used to explain its exit. */
  isolation?: Pick<Isolation, "memory" | "cpuSeconds"> | undefined;
  /** Shows every message. */
  tap?: WireTap | undefined;
}

const LIMIT = 64 * 1024 * 1024;
/** Bytes of a line after which the server is ended: reading an endless line has no use. */
const ENDLESS = 1024 * 1024 * 1024;
/** Characters above which a message is scanned before it is parsed. */
const LARGE = 100_000;
/** Maximum length in characters of a message that is parsed. */
export const MOST_PARSED = 4_000_000;
/** Lines of a server that are handled before others get their turn. */
const LINES = 4;
/** Lines that are not messages: how many are kept, and how many characters of each. */
const KEPT_LINES = 3;
const KEPT_CHARACTERS = 200;
/**
 * Milliseconds to wait for the rest of the output after the process has exited: another process may hold the
 * pipe.
 */
const LAST_WORDS = 250;

/**
 * A transport for the official client over a running server. The client recognizes a stdio transport by `pid`
 * and `stderr`. Because it is not the client's own class, the client starts no second process to find the
 * protocol revision.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];
  /** Gets every answer before the client does. */
  taker: AnswerTaker | undefined;
  /** Called at the first line that is not a message. */
  ongarbage?: () => void;
  readonly #launched: Launched;
  readonly #reader: LineReader;
  readonly #message: number;
  readonly #queue: number;
  readonly #isolation: StdioTransportOptions["isolation"];
  readonly #tap: WireTap | undefined;
  readonly #stderr = new TextTail();
  readonly #strange: string[] = [];
  #garbage = 0;
  #failure: GatewayError | undefined;
  #exit: Exit | undefined;
  #started = false;
  #closed = false;

  constructor(launched: Launched, options: StdioTransportOptions = {}) {
    this.#launched = launched;
    const { message = LIMIT, queue = LIMIT } = options;
    this.#isolation = options.isolation;
    this.#tap = options.tap;
    this.#queue = queue;
    this.#message = message;
    const endless = Math.max(ENDLESS, message);
    this.#reader = new LineReader({
      limit: message,
      endless,
      online: (line) => this.#read(line),
      ontoolong: (head, tail) => this.#skipLarge(head, tail),
      onendless: () => this.#fail(tooLarge(endless)),
    });
    // Always drained: a server must not block because a pipe is full.
    launched.stderr.on("data", (chunk: Buffer) => this.#stderr.push(chunk)).on("error", () => {});
  }

  get pid(): number {
    return this.#launched.pid;
  }

  /** The end of the server's stderr. */
  get stderr(): string {
    return this.#stderr.toString();
  }

  /** Lines that were not messages: their number, and the first of them. */
  get garbage(): { count: number; first: readonly string[] } {
    return { count: this.#garbage, first: this.#strange };
  }

  /** Why the connection ended, or is about to end. */
  get failure(): GatewayError | undefined {
    if (this.#failure || !this.#exit) return this.#failure;
    const { message, fault } = explainExit(this.#exit, this.stderr, this.#isolation);
    return new GatewayError("server-exited", message, { data: { exit: this.#exit, fault } });
  }

  async start(): Promise<void> {
    if (this.#started) throw new Error("this transport has already been started");
    this.#started = true;
    const { stdin, stdout, stderr, exited } = this.#launched;
    stdin.on("error", (error) => this.onerror?.(error));
    stdout.on("error", (error) => this.onerror?.(error));
    stdout.on("data", (chunk: Buffer) => this.#receive(chunk));
    // A server whose stdout has ended can answer nothing, even if its process is still running.
    const endOf = async (stream: Readable): Promise<void> => {
      if (!stream.readableEnded && !stream.destroyed)
        await new Promise<void>((resolve) => stream.once("close", resolve).once("end", resolve));
    };
    const silent = endOf(stdout);
    const lastWords = endOf(stderr);
    const gone = exited.then((exit) => {
      this.#exit = exit;
    });
    const late = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, LAST_WORDS).unref());
    void Promise.race([silent, gone])
      .then(() => Promise.race([Promise.all([silent, gone, lastWords]), late()]))
      .then(() => this.#end());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.sendText(JSON.stringify(message));
  }

  /** Sends a message that is already serialized. */
  sendText(text: string): void {
    const { stdin } = this.#launched;
    if (this.#closed || this.#exit || !stdin.writable) {
      // Output that was written earlier may still arrive; after that the connection is over.
      setTimeout(() => this.#end(), LAST_WORDS).unref();
      throw new GatewayError("server-exited", "the server no longer reads its input", {
        data: { unsent: true },
      });
    }
    const waiting = stdin.writableLength;
    if (waiting > 0 && waiting + text.length > this.#queue) {
      const message = `the server does not read its input: ${waiting} bytes are queued`;
      throw new GatewayError("overloaded", message, { data: { unsent: true } });
    }
    stdin.write(`${text}\n`);
    if (this.#tap?.isWatched) this.#tap.take({ direction: "sent", text });
  }

  /** Ends the server and its child processes. */
  async close(grace?: number): Promise<void> {
    this.#end();
    await this.#launched.stop(grace);
  }

  /** Reads some lines at a time, so that hundreds of answers at once do not delay other users. */
  #receive(chunk: Buffer): void {
    if (this.#closed) return;
    const { stdout } = this.#launched;
    // After the exit, there is little time for the rest.
    const rest = this.#reader.push(chunk, this.#exit ? Number.POSITIVE_INFINITY : LINES);
    if (!rest) {
      stdout.resume();
      return;
    }
    stdout.pause();
    setImmediate(() => this.#receive(rest));
  }

  #read(line: string): void {
    if (this.#closed || line.length === 0 || line === "\r") return;
    if (this.#tap?.isWatched) this.#tap.take({ direction: "received", text: line });
    if (line.length > LARGE && this.taker?.takeText(line)) return;
    let message: JSONRPCMessage;
    try {
      // Pending answers are handled above. Parsing any other message of this size would block all other work.
      if (line.length > MOST_PARSED) throw new Error("too large");
      const value: unknown = JSON.parse(line);
      if (isRecord(value) && this.taker?.take(value, line)) return;
      message = parseJSONRPCMessage(value);
    } catch {
      this.#skip(line);
      return;
    }
    this.#hand(message, line);
  }

  /** Passes a message to the client. */
  #hand(message: JSONRPCMessage, line: string): void {
    // The client converts ids to numbers: it would take `null` and "" for its first request.
    if (!("method" in message) && !isOwnId(message.id)) return;
    try {
      this.onmessage?.(message);
    } catch (error) {
      // A message that the client cannot handle must not end the gateway. The client puts parts of it into
      // its own errors.
      this.#skip(line);
      this.onerror?.(
        error instanceof Error ? error : new Error("a message could not be handled", { cause: error }),
      );
    }
  }

  /**
   * Skips a message that is too large, and fails the request that it answers as soon as its id is known,
   * which may be at either end. Other requests continue.
   */
  #skipLarge(head: string, tail: string | undefined): void {
    if (this.#closed) return;
    const error = tooLarge(this.#message);
    // Before the handshake is complete, there is nothing that could continue.
    if (!this.taker) {
      this.#fail(error);
      return;
    }
    const first = answeredByHead(head);
    if (first === undefined ? tail === undefined : tail !== undefined) return;
    const id = first ?? answeredByTail(tail ?? "");
    if (first === null || !head.trimStart().startsWith("{")) this.#skip(head);
    if (first === null || this.taker.refuse(id, error) || id === undefined) return;
    const { code, message, data } = error;
    this.#hand({ jsonrpc: "2.0", id, error: { code: Number(code), message, data } }, head);
  }

  #skip(line: string): void {
    if (this.#garbage++ < KEPT_LINES) this.#strange.push(line.slice(0, KEPT_CHARACTERS));
    if (this.#garbage === 1) this.ongarbage?.();
  }

  #fail(error: GatewayError): void {
    this.#failure = error;
    this.onerror?.(error);
    void this.close(0).catch((cause: Error) => this.onerror?.(cause));
  }

  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.onclose?.();
  }
}

/** Whether the client may have assigned this id: a number, or a string that does not look like one. */
const isOwnId = (id: unknown): boolean =>
  typeof id === "number" || (typeof id === "string" && Number.isNaN(Number(id)));
