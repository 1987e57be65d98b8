/**
 * The signed-in browsers, in memory: all of a single gateway, or those that a node has met.
 *
 * @module
 */
import { Listeners } from "@vitrine/protocol";
import type { StoredSignIns } from "../store/shared/stored-sign-ins.js";
import { keepNewest } from "./keep-newest.js";
import { SharedBrowsers } from "./shared-browsers.js";
import type { SignInGrounds } from "./users.js";

interface BrowserSession extends SignInGrounds {
  readonly until: number;
  usedAt: number;
}

/** A signed-in browser as it is stored: by the hash of its cookie, which cannot be used to sign in. */
export interface SignedInBrowser extends Readonly<BrowserSession> {
  readonly browser: string;
}

/** Options of {@link SignedInBrowsers}. */
export interface SignedInBrowsersOptions {
  /** Milliseconds without a request after which a browser must sign in again. */
  readonly idle: number;
  /** Milliseconds after which it must sign in again in any case. */
  readonly lifetime: number;
  /** Whether the basis of a sign-in is still valid. */
  readonly stands: (grounds: SignInGrounds) => boolean;
  readonly browsers: readonly SignedInBrowser[];
  readonly onbrowsers: ((browsers: SignedInBrowser[]) => void) | undefined;
  readonly shared: StoredSignIns | undefined;
  readonly onerror: ((error: unknown) => void) | undefined;
  readonly now: () => number;
}

const MAX_BROWSERS = 1000;
/** Maximum browsers of all nodes in memory: others are looked up again. */
const MAX_CACHED = 20_000;
/** Milliseconds of use after which the signed-in browsers are reported again. */
const REPORT_INTERVAL = 600_000;

/** The signed-in browsers. */
export class SignedInBrowsers {
  readonly #options: SignedInBrowsersOptions;
  readonly #sessions = new Map<string, BrowserSession>();
  readonly #signedOut: Listeners<[browser: string]>;
  readonly #lookups: SharedBrowsers | undefined;
  /** The last use of a browser that other nodes know of. */
  readonly #storedUse = new Map<string, number>();
  #reportedAt: number;

  constructor(options: SignedInBrowsersOptions) {
    this.#options = options;
    this.#signedOut = new Listeners(options.onerror);
    this.#reportedAt = options.now();
    const { shared, idle } = options;
    for (const { browser, ...session } of options.browsers)
      if (options.stands(session)) this.#sessions.set(browser, session);
    if (!shared) return;
    this.#lookups = new SharedBrowsers(shared, idle);
    shared.onEnded((browser) => {
      this.#lookups?.ended(browser);
      // Its connections close, whether it is in memory or not.
      this.#end(browser);
    });
    // Some sign-outs may have been missed.
    shared.onReset(() => this.#lookUpSoon([...this.#sessions.keys()]));
  }

  /** Adds a listener for signed-out browsers. */
  onSignOut(listener: (browser: string) => void): () => void {
    return this.#signedOut.add(listener);
  }

  /** Adds a browser that has just signed in. With several nodes, resolves when all of them know it. */
  add(browser: string, grounds: SignInGrounds): Promise<void> | undefined {
    this.#remember(browser, grounds, this.#options.lifetime, 0);
    this.#report();
    return this.#options.shared?.addBrowser(browser, grounds, this.#options);
  }

  /** Signs a browser out. With several nodes, resolves when it is certain that all of them will notice. */
  signOut(browser: string): Promise<void> | undefined {
    // Also for a lookup of it that is running here.
    this.#lookups?.ended(browser);
    if (this.#sessions.has(browser)) {
      this.#end(browser);
      this.#report();
    }
    return this.#options.shared?.end(browser);
  }

  /** Signs out all browsers whose basis is no longer valid. */
  check(): void {
    for (const [browser, session] of this.#sessions)
      if (!this.#options.stands(session)) this.signOut(browser)?.catch(this.#onerror);
  }

  /** The session of a browser. An expired one is signed out. */
  meet(browser: string, isUsed: boolean): SignInGrounds | undefined {
    const session = this.#sessions.get(browser);
    if (!session) return undefined;
    const now = this.#options.now();
    if (this.#isOver(session, now)) {
      // It may be in use on another node.
      if (this.#options.shared) this.#lookUpSoon([browser]);
      else this.signOut(browser);
      return undefined;
    }
    if (isUsed) {
      session.usedAt = now;
      this.#storeUse(browser, now);
    }
    if (now - this.#reportedAt >= REPORT_INTERVAL) this.#report();
    return session;
  }

  /** Whether a browser may be signed in, but only another node knows. */
  isUnknown(browser: string): boolean {
    const { shared, now } = this.#options;
    if (!shared || !this.#lookups?.mayExist(browser)) return false;
    const session = this.#sessions.get(browser);
    return !session || !shared.isCurrent || this.#isOver(session, now());
  }

  /**
   * Looks browsers up in the database of all nodes, and ends those that no longer exist.
   *
   * @throws {GatewayError} `audit-failed` if the database does not answer, `overloaded`
   */
  async lookUp(browsers: readonly string[]): Promise<void> {
    await Promise.all(
      browsers.map(async (browser) => {
        const found = await this.#lookups?.find(browser);
        if (found && this.#options.stands(found))
          this.#remember(browser, found, found.remaining, found.unused);
        else if (this.#sessions.has(browser)) this.#end(browser);
      }),
    );
  }

  #lookUpSoon(browsers: readonly string[]): void {
    this.lookUp(browsers).catch(this.#onerror);
  }

  readonly #onerror = (error: unknown): void => this.#options.onerror?.(error);

  #remember(browser: string, { user, credential }: SignInGrounds, lifetime: number, unused: number): void {
    const { shared, now } = this.#options;
    const usedAt = now() - unused;
    this.#sessions.delete(browser);
    this.#sessions.set(browser, { user, credential, until: now() + lifetime, usedAt });
    const gone = keepNewest(this.#sessions, shared ? MAX_CACHED : MAX_BROWSERS);
    if (shared) this.#storedUse.set(browser, usedAt);
    for (const each of gone) {
      this.#storedUse.delete(each);
      // A browser that the other nodes know stays signed in.
      if (!shared) this.#signedOut.notify(each);
    }
  }

  #end(browser: string): void {
    this.#sessions.delete(browser);
    this.#storedUse.delete(browser);
    this.#signedOut.notify(browser);
  }

  #isOver(session: BrowserSession, now: number): boolean {
    return now > session.until || now - session.usedAt > this.#options.idle;
  }

  /** Other nodes learn that a browser is used, but not of each request. */
  #storeUse(browser: string, now: number): void {
    const { shared, idle } = this.#options;
    const storedAt = this.#storedUse.get(browser);
    if (storedAt === undefined || now - storedAt < Math.min(REPORT_INTERVAL, idle / 4)) return;
    this.#storedUse.set(browser, now);
    shared?.used(browser).catch(this.#onerror);
  }

  #report(): void {
    const { now, onbrowsers } = this.#options;
    this.#reportedAt = now();
    onbrowsers?.([...this.#sessions].map(([browser, session]) => ({ browser, ...session })));
  }
}
