/**
 * MCP over the standard streams of a program.
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

/** Takes the answers to requests that did not come from the official client. */
export interface AnswerTaker {
  /** Whether this message was for it. */
  take(message: Readonly<Record<string, unknown>>, line?: string): boolean;
  /** The same for a large message, by its text. */
  takeText(line: string): boolean;
  /** The answer to the request of this id cannot be had; undefined: to one of those that wait, nobody knows which. */
  refuse(id: string | number | undefined, error: GatewayError): boolean;
}

/** Options of {@link StdioTransport}. */
export interface StdioTransportOptions {
  /** Bytes of one message from the server; 64 MB by default. */
  message?: number | undefined;
  /** Bytes that may wait for a server that does not read; 64 MB by default. */
  queue?: number | undefined;
  /** Limits of the program, for the sentence that says why it ended. */
  isolation?: Pick<Isolation, "memory" | "cpuSeconds"> | undefined;
}

const LIMIT = 64 * 1024 * 1024;
/** Bytes of a line that are skipped. A server that sends more without an end to it would be read for nothing, for ever. */
const ENDLESS = 1024 * 1024 * 1024;
/** Characters from which on a message is looked at before it is parsed. */
const LARGE = 100_000;
/** Characters of a message that objects are made of here. */
export const MOST_PARSED = 4_000_000;
/** Lines that are no messages: how many are kept, and how much of each. */
const KEPT_LINES = 3;
const KEPT_CHARACTERS = 200;
/** Milliseconds that the end of the output is waited for when the process is gone: something else may hold the pipe. */
const LAST_WORDS = 250;

/**
 * A transport of the official client over a server that runs. `pid` and `stderr` are how the client knows that it
 * is a stdio transport; as it is not the client's own, no second process is started to find the protocol's revision.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];
  /** Sees every answer before the client does. */
  taker: AnswerTaker | undefined;
  /** Hears of the first line that was no message. */
  ongarbage?: () => void;
  readonly #launched: Launched;
  readonly #reader: LineReader;
  readonly #message: number;
  readonly #queue: number;
  readonly #isolation: StdioTransportOptions["isolation"];
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
    // Read whether or not anybody wants it: a server must not stop because a pipe is full.
    launched.stderr.on("data", (chunk: Buffer) => this.#stderr.push(chunk)).on("error", () => {});
  }

  get pid(): number {
    return this.#launched.pid;
  }

  /** The end of what the server wrote to stderr. */
  get stderr(): string {
    return this.#stderr.toString();
  }

  /** Lines that were no messages: how many, and the first of them. */
  get garbage(): { count: number; first: readonly string[] } {
    return { count: this.#garbage, first: this.#strange };
  }

  /** Why the connection ended, or will end. */
  get failure(): GatewayError | undefined {
    if (this.#failure || !this.#exit) return this.#failure;
    const { message, fault } = explainExit(this.#exit, this.stderr, this.#isolation);
    return new GatewayError("server-exited", message, { data: { exit: this.#exit, fault } });
  }

  async start(): Promise<void> {
    if (this.#started) throw new Error("this transport was started before");
    this.#started = true;
    const { stdin, stdout, stderr, exited } = this.#launched;
    stdin.on("error", (error) => this.onerror?.(error));
    stdout.on("error", (error) => this.onerror?.(error));
    stdout.on("data", (chunk: Buffer) => {
      if (!this.#closed) this.#reader.push(chunk);
    });
    // A server without an output can answer nothing, even if it lives on.
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

  /** Sends one message that is JSON already. */
  sendText(text: string): void {
    const { stdin } = this.#launched;
    if (this.#closed || this.#exit || !stdin.writable) {
      // What it said before may still be on its way; after that this connection is over.
      setTimeout(() => this.#end(), LAST_WORDS).unref();
      throw new GatewayError("server-exited", "the server reads no more", { data: { unsent: true } });
    }
    const waiting = stdin.writableLength;
    if (waiting > 0 && waiting + text.length > this.#queue) {
      throw new GatewayError("overloaded", `the server does not read: ${waiting} bytes wait for it already`);
    }
    stdin.write(`${text}\n`);
  }

  /** Ends the server, and all that it started. */
  async close(grace?: number): Promise<void> {
    this.#end();
    await this.#launched.stop(grace);
  }

  #read(line: string): void {
    if (this.#closed || line.length === 0 || line === "\r") return;
    if (line.length > LARGE && this.taker?.takeText(line)) return;
    let message: JSONRPCMessage;
    try {
      // Answers that are awaited were taken. Making objects of anything else that large would stop everybody else.
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

  /** To the client. */
  #hand(message: JSONRPCMessage, line: string): void {
    // The client takes ids for numbers: it would see `null` and "" as its first request.
    if (!("method" in message) && !isOwnId(message.id)) return;
    try {
      this.onmessage?.(message);
    } catch (error) {
      // What the client cannot take must not end the gateway: the client writes some of it into its own errors.
      this.#skip(line);
      this.onerror?.(
        error instanceof Error ? error : new Error("a message could not be taken", { cause: error }),
      );
    }
  }

  /**
   * A message that is too large is not held, and the request that it answers fails: as soon as its id is known, which may
   * stand at either end. What else is under way goes on.
   */
  #skipLarge(head: string, tail: string | undefined): void {
    if (this.#closed) return;
    const error = tooLarge(this.#message);
    // Without a handshake there is nothing that could go on.
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

/** Whether the client may have given a request this id: a number, or a string that is not like one. */
const isOwnId = (id: unknown): boolean =>
  typeof id === "number" || (typeof id === "string" && Number.isNaN(Number(id)));
