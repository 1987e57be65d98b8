/**
 * One browser session with its carrier, if it has one.
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
import { INPUT_RATES, InputRate, type InputRates } from "./rate.js";

/** A connection from a page, while it carries a session. */
export interface PageCarrier extends SessionTransport {
  /** Sends a last word, and closes. */
  bye(bye: Bye): void;
}

/** A browser session, as the rest of the gateway sees it. */
export interface BrowserSession {
  readonly id: string;
  readonly user: string;
  /** More waits for the page than should: say nothing that can be left unsaid. */
  readonly isFull: boolean;
  /** What waits for the page, in characters. */
  readonly queuedBytes: number;
  /** Whether a page is connected now. */
  readonly isConnected: boolean;
  /** Sends a message. A page that lets too much pile up loses its session. After the end nothing happens. */
  send(channel: string, text: string): void;
  /** Forgets what was on its way on a view's channel, both ways. */
  closeChannel(channel: string): void;
  /** Ends the session and tells the page why. */
  end(code: ByeCode, message: string): void;
}

/** What is done with a session's messages. */
export interface SessionHandler {
  onmessage(channel: string, text: string): void;
  /** The page was loaded anew: it knows of nothing that was said before, and what was on its way to it is gone. */
  onfresh?(): void;
  /** Little waits for the page again. */
  ondrain?(): void;
  /** The session is over, by {@link BrowserSession.end}, by the page, or because the page did not come back. */
  onend(reason: string): void;
}

/** A session with its carrier. */
export class LiveSession implements BrowserSession {
  readonly id = newSecret(16);
  readonly user: string;
  readonly wire: Session;
  /** A secret: the id alone resumes nothing. */
  key = newSecret(32);
  /** The key of the page before: good for nothing but another fresh start, when the answer to the first was lost. */
  #keyBefore: string | undefined;
  handler: SessionHandler | undefined;
  carrier: PageCarrier | undefined;
  /** Since when it has no carrier, in milliseconds. */
  waitsSince: number | undefined;
  isEnded = false;
  onended: (() => void) | undefined;
  readonly #clock: { readonly now: number };
  readonly #rate: InputRate;
  readonly #report: (cause: unknown) => void;

  constructor(
    user: string,
    limits: SessionLimits,
    clock: { readonly now: number },
    options: { rates?: InputRates | undefined; onerror(cause: unknown): void },
  ) {
    this.user = user;
    this.#clock = clock;
    this.#report = options.onerror;
    this.#rate = new InputRate(options.rates ?? INPUT_RATES, clock.now);
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
    return this.carrier !== undefined;
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
    const { carrier } = this;
    this.carrier = undefined;
    this.wire.reset();
    this.onended?.();
    carrier?.bye({ code, message });
    this.#safely(() => this.handler?.onend(message));
  }

  /** Whether a page knows the session's secret, or that of the page before. */
  knows(key: string): boolean {
    return isSame(key, this.key) || (this.#keyBefore !== undefined && isSame(key, this.#keyBefore));
  }

  /** Whether this is a page whose session was taken over while it was away. */
  isOld(hello: Hello): boolean {
    return !hello.fresh && !isSame(hello.key ?? "", this.key);
  }

  /** Begins anew with a page that was loaded: views live on, and the page before can no longer go on. */
  renew(usedKey: string): void {
    if (isSame(usedKey, this.key)) this.#keyBefore = this.key;
    this.key = newSecret(32);
    this.carrier = undefined;
    this.wire.reset();
    this.#safely(() => this.handler?.onfresh?.());
  }

  take(carrier: PageCarrier, received: number): void {
    this.carrier = carrier;
    this.waitsSince = undefined;
    this.wire.attach(carrier, { received });
  }

  /**
   * Takes a frame from the carrier.
   *
   * @returns for how many milliseconds the carrier should read nothing more
   */
  receive(carrier: PageCarrier, frame: string): number {
    if (carrier !== this.carrier) return 0;
    if (frame.startsWith("bye ")) this.end("closed", "the page said goodbye");
    else this.wire.receive(carrier, frame);
    return this.#rate.take(1, frame.length, this.#clock.now);
  }

  /** The carrier is gone. */
  lose(carrier: PageCarrier): void {
    this.wire.detach(carrier);
    if (carrier === this.carrier) this.#leave();
  }

  /** The page does not keep to the rules; frames that are missing may come again, the rest would only go on. */
  fault(carrier: PageCarrier, fault: TransportFault, message: string): void {
    if (carrier !== this.carrier) return;
    if (fault !== "gap") this.end(fault, message);
    else {
      this.lose(carrier);
      carrier.bye({ code: "gap", message });
    }
  }

  #leave(): void {
    this.carrier = undefined;
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

/** Text that nobody guesses. */
export const newSecret = (bytes: number): string => randomBytes(bytes).toString("base64url");

/** In a time that does not depend on where they differ. */
function isSame(given: string, secret: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(secret)];
  return one.length === other.length && timingSafeEqual(one, other);
}
