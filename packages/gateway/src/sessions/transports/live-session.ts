/**
 * A browser session with its transport, if it is connected.
 *
 * @module
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { VitrineError } from "@vitrine/protocol";
import {
  type Bye,
  type ByeCode,
  type Hello,
  SESSION_LIMITS,
  Session,
  type SessionLimits,
  type SessionTransport,
  type TransportFault,
} from "@vitrine/wire";
import type { InputRate } from "./rate.js";

/** A connection from a page that carries a session. */
export interface PageTransport extends SessionTransport {
  /** Sends a bye, and closes. */
  bye(bye: Bye): void;
}

/** The session that a transport carries: in this process, or on another node. */
export interface CarriedSession {
  /** Handles a frame from the transport, and returns the milliseconds for which the transport should not read. */
  receive(transport: PageTransport, frame: string): number;
  /** Detaches a closed transport. */
  lose(transport: PageTransport): void;
  /** Handles a protocol violation of the page. */
  fault(transport: PageTransport, fault: TransportFault, message: string): void;
  /** Called when the transport has room again. */
  flush(): void;
}

/** A browser session as the rest of the gateway sees it. */
export interface BrowserSession {
  readonly id: string;
  readonly user: string;
  /** Whether the send queue is above its high-water mark: skip optional messages. */
  readonly isFull: boolean;
  /** Characters in the send queue. */
  readonly queuedBytes: number;
  /** Whether a page is connected. */
  readonly isConnected: boolean;
  /** Sends a message. A page whose queue grows too large loses its session. Has no effect after the end. */
  send(channel: string, text: string): void;
  /** Drops queued messages of a view's channel, in both directions. */
  closeChannel(channel: string): void;
  /** Ends the session, and sends the reason to the page. */
  end(code: ByeCode, message: string): void;
}

/** Handles the messages of a session. */
export interface SessionHandler {
  onmessage(channel: string, text: string): void;
  /** The page was reloaded: it knows nothing from before, and its queue was dropped. */
  onfresh?(): void;
  /** The send queue is below its high-water mark again. */
  ondrain?(): void;
  /** The session ended: by {@link BrowserSession.end}, by the page, or because the page did not return. */
  onend(reason: string): void;
}

/** A session with its transport. */
export class LiveSession implements BrowserSession, CarriedSession {
  readonly id = newSecret(16);
  readonly user: string;
  readonly wire: Session;
  /** A secret: the id alone is not enough to resume. */
  key = newSecret(32);
  /**
   * The key of the previous page. It only permits another fresh start, in case the answer to the first was
   * lost.
   */
  #keyBefore: string | undefined;
  handler: SessionHandler | undefined;
  transport: PageTransport | undefined;
  /** The time since it has no transport, in milliseconds. */
  waitsSince: number | undefined;
  isEnded = false;
  onended: (() => void) | undefined;
  readonly #clock: { readonly now: number };
  readonly #rate: InputRate;
  readonly #report: (cause: unknown) => void;
  readonly #mayServe: (() => boolean) | undefined;

  constructor(
    user: string,
    limits: SessionLimits,
    clock: { readonly now: number },
    options: { rate: InputRate; mayServe?: (() => boolean) | undefined; onerror(cause: unknown): void },
  ) {
    this.user = user;
    this.#clock = clock;
    this.#report = options.onerror;
    this.#rate = options.rate;
    this.#mayServe = options.mayServe;
    this.wire = new Session({ limits });
    this.wire.onmessage = (channel, text) => this.handler?.onmessage(channel, text);
    this.wire.ondrain = () => this.handler?.ondrain?.();
    this.wire.onerror = options.onerror;
  }

  get isFull(): boolean {
    return this.wire.isFull;
  }

  get queuedBytes(): number {
    return this.wire.queued;
  }

  get isConnected(): boolean {
    return this.transport !== undefined;
  }

  send(channel: string, text: string): void {
    if (this.isEnded) return;
    // The page would refuse it, reconnect, and get it again. Its limit counts frames, too.
    if (text.length > 0.99 * SESSION_LIMITS.message) {
      const message = `a message of ${text.length} characters is too large for a page: it was dropped`;
      this.#report(new VitrineError("send-failed", message));
      return;
    }
    try {
      this.wire.send(channel, text);
    } catch (error) {
      if (!(error instanceof VitrineError) || error.code !== "send-failed") throw error;
      this.end("ended", "the page reads too slowly");
    }
  }

  closeChannel(channel: string): void {
    this.wire.closeChannel(channel);
  }

  end(code: ByeCode, message: string): void {
    if (this.isEnded) return;
    this.isEnded = true;
    const { transport } = this;
    this.transport = undefined;
    this.wire.reset();
    this.onended?.();
    transport?.bye({ code, message });
    this.#safely(() => this.handler?.onend(message));
  }

  /** Whether a page knows the session's key, or that of the previous page. */
  knows(key: string): boolean {
    return isSame(key, this.key) || (this.#keyBefore !== undefined && isSame(key, this.#keyBefore));
  }

  /** Whether this page's session was taken over while it was disconnected. */
  isOld(hello: Hello): boolean {
    return !hello.fresh && !isSame(hello.key ?? "", this.key);
  }

  /** Restarts the session for a reloaded page: views stay open, and the previous page cannot continue. */
  renew(usedKey: string): void {
    if (isSame(usedKey, this.key)) this.#keyBefore = this.key;
    this.key = newSecret(32);
    this.transport = undefined;
    this.wire.reset();
    this.#safely(() => this.handler?.onfresh?.());
  }

  take(transport: PageTransport, received: number): void {
    this.transport = transport;
    this.waitsSince = undefined;
    this.wire.attach(transport, { received });
  }

  /**
   * Handles a frame from the transport.
   *
   * @returns the milliseconds for which the transport should not read
   */
  receive(transport: PageTransport, frame: string): number {
    if (transport !== this.transport) return 0;
    if (frame.startsWith("bye ")) this.end("closed", "the page ended the session");
    // The page sends it again, to a node that may serve its user. Heartbeats and acknowledgements have no number.
    else if (/^\d/.test(frame) && this.#mayServe?.() === false) this.leave();
    else this.wire.receive(transport, frame);
    return this.#rate.take(1, frame.length, this.#clock.now);
  }

  /** Detaches a closed transport. */
  lose(transport: PageTransport): void {
    this.wire.detach(transport);
    if (transport === this.transport) this.#leave();
  }

  /**
   * Handles a protocol violation of the page. Missing frames may be sent again; after any other fault the
   * session ends.
   */
  fault(transport: PageTransport, fault: TransportFault, message: string): void {
    if (transport !== this.transport) return;
    if (fault !== "gap") this.end(fault, message);
    else {
      this.lose(transport);
      transport.bye({ code: "gap", message });
    }
  }

  flush(): void {
    this.wire.flush();
  }

  /** Lets the page connect again. It gets this session again if this process may serve its user then. */
  leave(): void {
    const { transport } = this;
    if (!transport) return;
    this.lose(transport);
    transport.bye({ code: "stopping", message: "this node cannot serve you now: connect again" });
  }

  #leave(): void {
    this.transport = undefined;
    this.waitsSince = this.#clock.now;
  }

  #safely(run: () => void): void {
    try {
      run();
    } catch (cause) {
      this.#report(cause);
    }
  }
}

/** A random string that cannot be guessed. */
export const newSecret = (bytes: number): string => randomBytes(bytes).toString("base64url");

/** Compares in constant time. */
function isSame(given: string, secret: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(secret)];
  return one.length === other.length && timingSafeEqual(one, other);
}
