/**
 * Authentication. Programs send a token as `Authorization: Bearer`; a browser gets its own cookie in exchange
 * for a one-time link. There is no other way to authenticate.
 *
 * @module
 */
import { timingSafeEqual } from "node:crypto";
import type { Rate } from "@vitrine/guard";
import { GatewayError } from "@vitrine/wire";
import type { UserSettings } from "../config/config.js";
import type { SharedLink, StoredSignIns } from "../store/shared/stored-sign-ins.js";
import type { Caller } from "./api.js";
import { Buckets } from "./buckets.js";
import { cookieValues } from "./cookie.js";
import { crossSite, HttpError } from "./http-error.js";
import { keepNewest } from "./keep-newest.js";
import type { LinkOptions } from "./link-options.js";
import { type SignedInBrowser, SignedInBrowsers } from "./signed-in-browsers.js";
import { digest, LOCAL_USER, makeSecret, type SignInGrounds, Users } from "./users.js";

export { LOCAL_USER, type SignedInBrowser };

/** Options of {@link Authentication}. */
export interface AuthenticationOptions {
  /** The users. If there are none, a token is created for the user `local`. */
  users?: readonly UserSettings[] | undefined;
  /** SHA-256 of a token that can read the metrics, and nothing else. */
  metricsHash?: string | undefined;
  /** Milliseconds that a one-time link is valid; five minutes by default. */
  linkLifetime?: number | undefined;
  /** Milliseconds without a request after which a browser must sign in again; twelve hours by default. */
  idle?: number | undefined;
  /** Milliseconds after which it must sign in again in any case; seven days by default. */
  lifetime?: number | undefined;
  /** Rate limit of wrong credentials per address. */
  attempts?: Rate | undefined;
  /** Browsers that were signed in before a restart: their pages continue to work. */
  browsers?: readonly SignedInBrowser[] | undefined;
  /** Called when browsers sign in or out, and periodically while they are used. */
  onbrowsers?: ((browsers: SignedInBrowser[]) => void) | undefined;
  /** The sign-ins of all nodes; by default, this gateway has its own. */
  shared?: StoredSignIns | undefined;
  /** Called with errors that listeners throw, and of writes that nobody waits for. */
  onerror?: ((error: unknown) => void) | undefined;
  now?: (() => number) | undefined;
}

/** The credentials in a request. */
export interface RequestCredentials {
  authorization?: string | undefined;
  cookie?: string | undefined;
}

interface Link extends SignInGrounds, LinkOptions {
  readonly until: number;
}

/** An authenticated caller, and its browser. */
export interface Admitted {
  readonly caller: Caller;
  /** The browser's session, if the request had a cookie. */
  readonly browser?: string | undefined;
}

/** A browser that has just signed in. */
export interface Entered {
  /** The value of its cookie. */
  readonly cookie: string;
  /** The fragment of the address that its link leads to. */
  readonly fragment: string | undefined;
}

/** Maximum number of links of each kind. Beyond it, the oldest is removed. */
const MAX_LINKS = 100;
/** Milliseconds that a link from a page is valid: a browser must start within this time. */
const ARRIVAL_LIFETIME = 60_000;

/** Maximum number of wrong credentials to recognize. */
const MAX_WRONG = 1000;

const USED = "this link was used already, or has expired: get a new one from the gateway";

/**
 * Authenticates requests. Only hashes of secrets are kept and compared, so that neither memory nor timing
 * reveals anything about them.
 *
 * @example
 * ```ts source="./http.examples.ts#authentication"
 * const auth = new Authentication({ users: [{ name: "ada", tokenHash }] });
 * const { caller } = auth.admit({ authorization: `Bearer ${token}` }, "vitrine", "127.0.0.1");
 * // caller.user is "ada"
 * ```
 */
export class Authentication {
  /** The generated token for local programs; undefined if users are configured. Never log it. */
  readonly token: string | undefined;
  readonly #users: Users;
  readonly #links = new Map<string, Link>();
  readonly #browsers: SignedInBrowsers;
  readonly #failures: Buckets;
  /** Hashes of wrong credentials that were limited already. */
  readonly #wrong = new Set<string>();
  readonly #linkLifetime: number;
  readonly #now: () => number;
  #metricsHash: Buffer | undefined;
  readonly #onerror: (error: unknown) => void;
  readonly #shared: StoredSignIns | undefined;
  /** Links that are being stored for all nodes, by the hash of their code. */
  readonly #storing = new Map<string, Promise<void>>();

  constructor(options: AuthenticationOptions = {}) {
    const { users = [], linkLifetime = 300_000, idle = 43_200_000, lifetime = 604_800_000 } = options;
    const { browsers = [], onbrowsers, shared, onerror, now = Date.now } = options;
    this.#linkLifetime = linkLifetime;
    this.#now = now;
    this.#onerror = onerror ?? (() => {});
    this.#shared = shared;
    this.#failures = new Buckets(options.attempts ?? { burst: 10, perSecond: 0.2 }, now);
    this.#users = new Users(users);
    this.token = this.#users.token;
    const stands = (grounds: SignInGrounds): boolean => this.#users.stands(grounds);
    this.#browsers = new SignedInBrowsers({
      idle,
      lifetime,
      stands,
      browsers,
      onbrowsers,
      shared,
      onerror,
      now,
    });
    this.setMetricsHash(options.metricsHash);
  }

  /** Changes the credential of the scraper. */
  setMetricsHash(hash: string | undefined): void {
    this.#metricsHash = hash === undefined ? undefined : Buffer.from(hash, "hex");
  }

  /** Whether a request has the credential of the scraper, which counts for the metrics only. */
  isScraper(authorization: string | undefined): boolean {
    if (!this.#metricsHash || authorization === undefined) return false;
    return timingSafeEqual(this.#metricsHash, Buffer.from(digest(tokenOf(authorization)), "hex"));
  }

  /**
   * Changes the users. The browsers of users who were removed or have a new token are signed out, because
   * anyone with the old token may have signed them in.
   */
  setUsers(users: readonly UserSettings[]): void {
    this.#users.replace(users);
    for (const [code, link] of this.#links) if (!this.#users.stands(link)) this.#links.delete(code);
    this.#browsers.check();
  }

  /**
   * A code that signs a browser in, once, within a few minutes.
   *
   * @throws {GatewayError} `config-invalid` if the user does not exist
   */
  link(user: string, { arrival, onused, fragment }: LinkOptions = {}): string {
    const credential = this.#users.credentialOf(user);
    if (credential === undefined) {
      throw new GatewayError("config-invalid", `there is no user ${JSON.stringify(user)}`);
    }
    const code = this.#secret();
    const key = digest(code);
    const lifetime = arrival ? Math.min(ARRIVAL_LIFETIME, this.#linkLifetime) : this.#linkLifetime;
    this.#links.set(key, { user, credential, until: this.#now() + lifetime, arrival, onused, fragment });
    keepNewest(this.#links, MAX_LINKS);
    if (this.#shared)
      this.#storeLink(this.#shared, key, { user, credential, arrival: arrival ?? false, fragment }, lifetime);
    return code;
  }

  /**
   * The same, when the link works on every node.
   *
   * @throws {GatewayError} `config-invalid`, and `audit-failed` if the database does not answer
   */
  async sharedLink(user: string, options?: LinkOptions): Promise<string> {
    const code = this.link(user, options);
    await this.#storing.get(digest(code));
    return code;
  }

  #storeLink(shared: StoredSignIns, key: string, link: SharedLink, lifetime: number): void {
    const stored = shared.addLink(key, link, lifetime);
    this.#storing.set(key, stored);
    stored
      .catch((error: unknown) => {
        this.#links.delete(key);
        this.#onerror(error);
      })
      .finally(() => this.#storing.delete(key));
  }

  /**
   * Exchanges the code of a one-time link for the value of a cookie. `isLed` says that a page of another site
   * led the browser here, which few links allow; the others stay valid.
   *
   * @throws {HttpError} `unauthenticated` for an invalid code, `cross-site`
   */
  signIn(code: string, address: string, isLed = false): string {
    if (this.#shared) throw new GatewayError("config-invalid", "browsers sign in on all nodes: use enter()");
    const key = digest(code);
    const link = this.#links.get(key);
    if (isLed && !link?.arrival) throw crossSite();
    this.#links.delete(key);
    if (!link || link.until < this.#now()) {
      this.#fail(address, code, USED);
    }
    const value = this.#secret();
    this.#browsers.add(digest(value), link);
    link.onused?.();
    return value;
  }

  /**
   * Exchanges the code of a one-time link of any node for the value of a cookie, and the fragment that the link leads
   * to. See {@link signIn}.
   *
   * @throws {HttpError} `unauthenticated` for an invalid code, `cross-site`
   */
  async enter(code: string, address: string, isLed = false): Promise<Entered> {
    const shared = this.#shared;
    if (!shared) {
      const fragment = this.fragmentOf(code);
      return { cookie: this.signIn(code, address, isLed), fragment };
    }
    const key = digest(code);
    await this.#storing.get(key);
    const link = shared.isOurs(code) ? await shared.link(key) : undefined;
    if (isLed && !link?.arrival) throw crossSite();
    const own = this.#links.get(key);
    this.#links.delete(key);
    if (!link || !this.#users.stands(link) || !(await shared.takeLink(key))) this.#fail(address, code, USED);
    const cookie = this.#secret();
    await this.#browsers.add(digest(cookie), link);
    own?.onused?.();
    return { cookie, fragment: link.fragment };
  }

  /**
   * Looks the browsers of a request up that may have signed in on another node. Call it before {@link admit} and
   * {@link browserOf}, and wait if it returns a promise.
   *
   * @throws {GatewayError} `audit-failed` if the database does not answer, `overloaded`
   */
  recognize(cookie: string | undefined, cookieName: string): Promise<void> | undefined {
    const shared = this.#shared;
    if (!shared || cookie === undefined) return undefined;
    const unknown = cookieValues(cookie, cookieName)
      .map((value) => ({ value, browser: digest(value) }))
      .filter(({ value, browser }) => this.#browsers.isUnknown(browser) && shared.isOurs(value));
    return unknown.length === 0 ? undefined : this.#browsers.lookUp(unknown.map(({ browser }) => browser));
  }

  /** The fragment that a link leads to; read it before using the link. */
  fragmentOf(code: string): string | undefined {
    return this.#links.get(digest(code))?.fragment;
  }

  /**
   * Ends a browser's session: its cookie becomes invalid, here at once, and on other nodes within a second or two. With
   * several nodes, resolves when that is certain.
   */
  signOut(browser: string): Promise<void> | undefined {
    return this.#browsers.signOut(browser);
  }

  /** Adds a listener for signed-out browsers, so that their connections can be closed. */
  onSignOut(listener: (browser: string) => void): () => void {
    return this.#browsers.onSignOut(listener);
  }

  /**
   * Authenticates a request.
   *
   * @throws {HttpError} `unauthenticated`, `too-many-attempts`
   */
  admit(credentials: RequestCredentials, cookieName: string, address: string): Admitted {
    const { authorization } = credentials;
    if (authorization !== undefined) return { caller: this.#admitToken(authorization, address) };
    const admitted = this.browserOf(credentials.cookie, cookieName);
    if (admitted) return admitted;
    // A request without credentials does not count as an attempt.
    if (credentials.cookie === undefined || !credentials.cookie.includes(`${cookieName}=`)) throw missing();
    const values = cookieValues(credentials.cookie, cookieName).join();
    this.#fail(address, values, "your browser is no longer signed in: open a new link of the gateway");
  }

  /** The user who is signed in in a browser, if any. */
  browserOf(cookie: string | undefined, cookieName: string): Admitted | undefined {
    if (cookie === undefined) return undefined;
    for (const value of cookieValues(cookie, cookieName)) {
      const browser = digest(value);
      const session = this.#browsers.meet(browser, true);
      if (!session) continue;
      const meet = (isUsed: boolean): void => void this.#browsers.meet(browser, isUsed);
      return { caller: { user: session.user, meet }, browser };
    }
    return undefined;
  }

  #secret(): string {
    return this.#shared?.mint() ?? makeSecret();
  }

  #admitToken(authorization: string, address: string): Caller {
    const found = this.#users.ofToken(tokenOf(authorization));
    // Only wrong credentials are limited: all clients behind a reverse proxy share an address, and a program
    // with an outdated token must not lock out the others on its machine.
    if (found === undefined) this.#fail(address, authorization, "unknown token");
    return { user: found };
  }

  #fail(address: string, credential: string, message: string): never {
    // Only new guesses are limited: a page that was signed out requests many files with its old cookie, and must
    // still learn that it is signed out.
    const guess = digest(credential);
    const retryAfter = this.#wrong.has(guess) ? 0 : this.#failures.take(network(address));
    if (retryAfter > 0) {
      throw new HttpError("too-many-attempts", "too many wrong credentials from your address", {
        retryAfter,
      });
    }
    this.#wrong.add(guess);
    keepNewest(this.#wrong, MAX_WRONG);
    throw new HttpError("unauthenticated", message, { headers: CHALLENGE });
  }
}

const tokenOf = (authorization: string): string => /^Bearer ([\x21-\x7e]+)$/i.exec(authorization)?.[1] ?? "";

const CHALLENGE = { "www-authenticate": 'Bearer realm="vitrine"' };

const missing = (): HttpError =>
  new HttpError(
    "unauthenticated",
    "sign in with a link of the gateway, or send a token as Authorization: Bearer",
    { headers: CHALLENGE },
  );

/** An IPv6 customer has a whole network of addresses: the first four groups identify it. */
const network = (address: string): string =>
  address.includes(".") || !address.includes(":") ? address : address.split(":").slice(0, 4).join(":");
