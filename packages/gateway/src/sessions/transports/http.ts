/**
 * The HTTP transport, for browsers that cannot open a WebSocket: a POST sends the hello, an event stream
 * sends frames to the page, and further POSTs send frames from it.
 *
 * The listener's routes call it after authentication.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import { type Bye, type TransportFault, writeHandshake } from "@vitrine/wire";
import type { Answered, HttpAnswer } from "../../http/answer.js";
import type { Caller } from "../../http/api.js";
import { capacity } from "../../http/capacity.js";
import type { TransportRequest } from "../../http/route.js";
import type { LiveSession, PageTransport, SessionRegistry } from "../registry.js";

/**
 * The header that names the transport in every request but the first. A secret: whoever has it can act as the
 * page.
 */
export const TRANSPORT_HEADER = "vitrine-transport";

/** Options of {@link HttpTransports}. */
export interface HttpTransportsOptions {
  /** Maximum concurrent transports; by default as many as this process may open, see {@link capacity}. */
  connections?: number | undefined;
  /** Milliseconds until a stream must have been opened, and read from; 15,000 by default. */
  heartbeat?: number | undefined;
  /**
   * Milliseconds between comments in a stream. A page that gets none knows that its stream is dead; 2,000 by
   * default.
   */
  beat?: number | undefined;
}

/** Maximum bytes and frames of a POST; a page splits larger ones. */
const MAX_BODY = 1_048_576;
const MAX_FRAMES = 1000;
/** High-water mark of a stream's buffer, in characters. */
const BUFFER = 262_144;

/** A stream counts as dead after this many missing comments. */
const MISSING_BEATS = 2.5;

/** Accepts requests, and connects them to the registry. */
export class HttpTransports {
  readonly #registry: SessionRegistry;
  readonly #open = new Map<string, HttpPageTransport>();
  readonly #connections: number;
  readonly #beat: number;
  readonly #timers: readonly NodeJS.Timeout[];

  constructor(registry: SessionRegistry, options: HttpTransportsOptions = {}) {
    this.#registry = registry;
    this.#connections = options.connections ?? capacity().sockets;
    this.#beat = options.beat ?? 2000;
    this.#timers = [
      setInterval(() => this.sweep(), options.heartbeat ?? 15_000),
      setInterval(() => this.beat(), this.#beat),
    ];
    for (const timer of this.#timers) timer.unref();
  }

  get size(): number {
    return this.#open.size;
  }

  /**
   * Accepts frames, as a JSON array of strings. Without a transport id, the first must be a hello: then the
   * answer contains the id and the welcome. 409 means that another page took over the session, 410 that the
   * transport has ended.
   */
  async post({ headers, bytes }: TransportRequest, caller: Caller): Promise<HttpAnswer> {
    const frames = readFrames(bytes);
    if (!frames) return answer(400, { message: "send a JSON array of at most 1,000 frames, and 1 MiB" });
    const name = headers[TRANSPORT_HEADER];
    if (name === undefined) return this.#hello(frames, caller);
    const transport = this.#open.get(String(name));
    if (transport?.user !== caller.user) return gone();
    return transport.take(frames);
  }

  /** The stream of frames to the page. There is one per transport. */
  stream({ headers }: TransportRequest, outgoing: ServerResponse, caller: Caller): Answered {
    const transport = this.#open.get(String(headers[TRANSPORT_HEADER]));
    if (transport?.user !== caller.user) return gone();
    if (transport.stream(outgoing, caller)) return "written";
    return answer(409, { message: "this transport already has a stream" });
  }

  /** Ends transports that nobody reads from. */
  sweep(): void {
    for (const transport of this.#open.values()) transport.sweep();
  }

  /** Sends a comment to every page, to show that its stream is alive. */
  beat(): void {
    for (const transport of this.#open.values()) transport.beat();
  }

  /** Ends all transports. Close the registry first, so that pages are notified and no new ones connect. */
  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
    for (const transport of this.#open.values()) transport.finish();
  }

  #hello([frame = ""]: string[], { user }: Caller): HttpAnswer {
    if (this.#open.size >= this.#connections) {
      const message = `${this.#connections} connections are open: try again in 5 s`;
      return answer(503, { error: { code: "overloaded", message } }, { "retry-after": "5" });
    }
    const name = randomBytes(16).toString("base64url");
    const transport: HttpPageTransport = new HttpPageTransport(user, () => {
      this.#open.delete(name);
    });
    const isWelcome = transport.begin(this.#registry.open(frame, user, transport));
    if (isWelcome) this.#open.set(name, transport);
    return answer(200, { id: name, frames: transport.first, silence: MISSING_BEATS * this.#beat });
  }
}

class HttpPageTransport implements PageTransport {
  readonly user: string;
  /** Frames before there is a stream: the welcome, or the reason for the refusal. */
  readonly first: string[] = [];
  readonly #closed: () => void;
  #session: LiveSession | undefined;
  #stream: ServerResponse | undefined;
  /** The caller who opened the stream. */
  #reader: Caller | undefined;
  #isTaking = false;
  #sweeps = 0;
  #isOver = false;
  #bye: string | undefined;

  constructor(user: string, closed: () => void) {
    this.user = user;
    this.#closed = closed;
  }

  /** Frames stay in the session until the stream is open, and while the page does not read it. */
  get full(): boolean {
    return !this.#stream || this.#stream.writableLength > BUFFER;
  }

  /** Attaches the session. Returns whether there is one. */
  begin(session: LiveSession | undefined): boolean {
    this.#session = session;
    return session !== undefined && !this.#isOver;
  }

  send(frame: string): void {
    if (this.#stream) this.#stream.write(`data: ${JSON.stringify(frame)}\n\n`);
    // Acknowledgements and heartbeats are skipped: the welcome implies them.
    else if (frame.startsWith("welcome ")) this.first.push(frame);
  }

  end(fault: TransportFault, message: string): void {
    this.#session?.fault(this, fault, message);
  }

  bye(bye: Bye): void {
    if (this.#isOver) return;
    this.#bye = bye.code;
    const frame = writeHandshake("bye", bye);
    if (this.#stream) this.send(frame);
    else this.first.push(frame);
    this.finish();
  }

  /** Closes it without a bye. */
  finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const stream = this.#stream;
    this.#stream = undefined;
    stream?.end();
    this.#session?.lose(this);
    this.#closed();
  }

  /** Starts to send frames to this stream. Returns false if there is one already. */
  stream(outgoing: ServerResponse, caller: Caller): boolean {
    if (this.#reader) return false;
    this.#reader = caller;
    this.#stream = outgoing;
    outgoing.on("drain", () => this.#session?.wire.flush());
    outgoing.on("close", () => {
      this.#stream = undefined;
      this.finish();
    });
    // A write per frame, instead of chunks with lengths: the stream ends with its connection.
    outgoing.useChunkedEncodingByDefault = false;
    outgoing.writeHead(200, { ...HEADERS, "content-type": "text/event-stream", "x-accel-buffering": "no" });
    // Flushes the headers through any proxies.
    outgoing.write(": open\n\n");
    this.#session?.wire.flush();
    return true;
  }

  async take(frames: string[]): Promise<HttpAnswer> {
    // A single POST at a time keeps the order, and lets a throttled page wait for a single answer.
    if (this.#isTaking) return answer(429, { message: "wait for the answer to the last POST" });
    this.#isTaking = true;
    let wait = 0;
    for (const frame of frames) wait = Math.max(wait, this.#session?.receive(this, frame) ?? 0);
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait).unref());
    this.#isTaking = false;
    if (this.#bye === "taken-over")
      return answer(409, { message: "another page has taken over this session" });
    if (this.#isOver) return gone();
    return { status: 204, headers: HEADERS };
  }

  sweep(): void {
    // A stream that was not opened, or not read since the last check, has no reader.
    this.#sweeps = this.full ? this.#sweeps + 1 : 0;
    // POSTs are authenticated individually; only the stream stays open.
    this.#reader?.meet?.(false);
    if (this.#sweeps > 1) this.finish();
  }

  /** Skipped for a page that does not read, where comments would accumulate. */
  beat(): void {
    if (!this.full) this.#stream?.write(": still here\n\n");
  }
}

const HEADERS = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

const answer = (status: number, body: object, headers?: Record<string, string>): HttpAnswer => ({
  status,
  headers: { ...HEADERS, "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});

const gone = (): HttpAnswer => answer(410, { message: "this transport has ended: send a hello again" });

/** The frames of a body; undefined if it is not an array of strings, or too large. */
function readFrames(bytes: Buffer): string[] | undefined {
  if (bytes.length > MAX_BODY) return undefined;
  try {
    const frames: unknown = JSON.parse(bytes.toString());
    if (!Array.isArray(frames) || frames.length > MAX_FRAMES) return undefined;
    return frames.every((frame) => typeof frame === "string") ? frames : undefined;
  } catch {
    return undefined;
  }
}
