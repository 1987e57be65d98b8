/**
 * The same frames by plain HTTP, for where a WebSocket cannot be opened: a POST says hello, an event stream brings
 * frames to the page, and more POSTs bring frames from it.
 *
 * The listener's routes call them, after its one authentication.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import { type Bye, type TransportFault, writeHandshake } from "@vitrine/wire";
import type { Answer, Answered } from "../../http/answer.js";
import type { Caller } from "../../http/api.js";
import type { CarrierRequest } from "../../http/route.js";
import type { LiveSession, PageCarrier, SessionRegistry } from "../registry.js";

/** Names the carrier in every request but the first. A secret: who has it speaks for the page. */
export const CARRIER_HEADER = "vitrine-carrier";

/** Options of {@link HttpCarriers}. */
export interface HttpCarriersOptions {
  /** Carriers at a time; 1,000 by default. */
  connections?: number | undefined;
  /** Milliseconds until a stream must have been opened, and read from; 15,000 by default. */
  heartbeat?: number | undefined;
  /** Milliseconds between two comments in a stream: a page that gets none knows that its stream is dead; 2,000 by default. */
  beat?: number | undefined;
}

/** Bytes and frames of one POST; a page splits what is more. */
const MAX_BODY = 1_048_576;
const MAX_FRAMES = 1000;
/** Characters in a stream's buffer from which on nothing more is given to it. */
const BUFFER = 262_144;

/** A stream is dead when so many of its comments are missing. */
const MISSING_BEATS = 2.5;

/** Takes requests, and brings them to the registry. */
export class HttpCarriers {
  readonly #registry: SessionRegistry;
  readonly #open = new Map<string, HttpCarrier>();
  readonly #connections: number;
  readonly #beat: number;
  readonly #timers: readonly NodeJS.Timeout[];

  constructor(registry: SessionRegistry, options: HttpCarriersOptions = {}) {
    this.#registry = registry;
    this.#connections = options.connections ?? 1000;
    this.#beat = options.beat ?? 2000;
    this.#timers = [
      setInterval(() => this.sweep(), options.heartbeat ?? 15_000),
      setInterval(() => this.beat(), this.#beat),
    ];
    for (const timer of this.#timers) timer.unref();
  }

  /** How many carriers there are. */
  get size(): number {
    return this.#open.size;
  }

  /**
   * Takes frames, as a JSON array of texts. Without a carrier's name the first must be a hello: the answer then has the
   * name, and the welcome. 409 says that another page took the session over, 410 that the carrier is gone.
   */
  async post({ headers, bytes }: CarrierRequest, caller: Caller): Promise<Answer> {
    const frames = readFrames(bytes);
    if (!frames) return answer(400, { message: "send a JSON array of at most 1,000 frames, and 1 MiB" });
    const name = headers[CARRIER_HEADER];
    if (name === undefined) return this.#hello(frames, caller);
    const carrier = this.#open.get(String(name));
    if (carrier?.user !== caller.user) return gone();
    return carrier.take(frames);
  }

  /** The stream of frames to the page. There is one for each carrier. */
  stream({ headers }: CarrierRequest, outgoing: ServerResponse, caller: Caller): Answered {
    const carrier = this.#open.get(String(headers[CARRIER_HEADER]));
    if (carrier?.user !== caller.user) return gone();
    if (carrier.stream(outgoing, caller)) return "written";
    return answer(409, { message: "this carrier has its stream already" });
  }

  /** Ends carriers that nobody reads from. */
  sweep(): void {
    for (const carrier of this.#open.values()) carrier.sweep();
  }

  /** Shows every page that its stream is alive. */
  beat(): void {
    for (const carrier of this.#open.values()) carrier.beat();
  }

  /** Ends all carriers. Close the registry first, so that pages are told and no more come. */
  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
    for (const carrier of this.#open.values()) carrier.finish();
  }

  #hello([frame = ""]: string[], { user }: Caller): Answer {
    if (this.#open.size >= this.#connections) {
      return answer(503, { message: "there are too many connections: try again" }, { "retry-after": "5" });
    }
    const name = randomBytes(16).toString("base64url");
    const carrier: HttpCarrier = new HttpCarrier(user, () => {
      this.#open.delete(name);
    });
    const isWelcome = carrier.begin(this.#registry.open(frame, user, carrier));
    if (isWelcome) this.#open.set(name, carrier);
    return answer(200, { carrier: name, frames: carrier.first, silence: MISSING_BEATS * this.#beat });
  }
}

class HttpCarrier implements PageCarrier {
  readonly user: string;
  /** What is said before there is a stream: the welcome, or why there is none. */
  readonly first: string[] = [];
  readonly #closed: () => void;
  #session: LiveSession | undefined;
  #stream: ServerResponse | undefined;
  /** Who opened the stream. */
  #reader: Caller | undefined;
  #isTaking = false;
  #sweeps = 0;
  #isOver = false;
  #bye: string | undefined;

  constructor(user: string, closed: () => void) {
    this.user = user;
    this.#closed = closed;
  }

  /** Frames wait in the session until the stream is open, and while the page does not read it. */
  get full(): boolean {
    return !this.#stream || this.#stream.writableLength > BUFFER;
  }

  /** Takes its session; whether there is one. */
  begin(session: LiveSession | undefined): boolean {
    this.#session = session;
    return session !== undefined && !this.#isOver;
  }

  send(frame: string): void {
    if (this.#stream) this.#stream.write(`data: ${JSON.stringify(frame)}\n\n`);
    // Acknowledgements and heartbeats are left unsaid: the welcome has said as much.
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

  /** Closes it without a word. */
  finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const stream = this.#stream;
    this.#stream = undefined;
    stream?.end();
    this.#session?.lose(this);
    this.#closed();
  }

  /** Says from now on what there is to say; whether it does. */
  stream(outgoing: ServerResponse, caller: Caller): boolean {
    if (this.#reader) return false;
    this.#reader = caller;
    this.#stream = outgoing;
    outgoing.on("drain", () => this.#session?.wire.flush());
    outgoing.on("close", () => {
      this.#stream = undefined;
      this.finish();
    });
    // One write for each frame, in place of a part with its length: the stream ends with its connection.
    outgoing.useChunkedEncodingByDefault = false;
    outgoing.writeHead(200, { ...HEADERS, "content-type": "text/event-stream", "x-accel-buffering": "no" });
    // So that the headers go out now, through whatever is between.
    outgoing.write(": open\n\n");
    this.#session?.wire.flush();
    return true;
  }

  async take(frames: string[]): Promise<Answer> {
    // One at a time keeps them in order, and a page that may not send more has one answer to wait for.
    if (this.#isTaking) return answer(429, { message: "wait for the answer to the last POST" });
    this.#isTaking = true;
    let wait = 0;
    for (const frame of frames) wait = Math.max(wait, this.#session?.receive(this, frame) ?? 0);
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait).unref());
    this.#isTaking = false;
    if (this.#bye === "taken-over") return answer(409, { message: "another page goes on with this session" });
    if (this.#isOver) return gone();
    return { status: 204, headers: HEADERS };
  }

  sweep(): void {
    // A stream that does not come, or that nobody has read from since the last time, has nobody at its other end.
    this.#sweeps = this.full ? this.#sweeps + 1 : 0;
    // What the page sends is let in, or not, by itself; only the stream stays open.
    this.#reader?.meet?.(false);
    if (this.#sweeps > 1) this.finish();
  }

  /** Not to a page that does not read: comments would pile up for it. */
  beat(): void {
    if (!this.full) this.#stream?.write(": still here\n\n");
  }
}

const HEADERS = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

const answer = (status: number, body: object, headers?: Record<string, string>): Answer => ({
  status,
  headers: { ...HEADERS, "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});

const gone = (): Answer => answer(410, { message: "this carrier is gone: say hello again" });

/** The frames of a body; undefined when it is no array of texts, or too large. */
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
