/**
 * Authentication. Programs send a token as `Authorization: Bearer`; a browser gets its own cookie in exchange
 * for a one-time link. There is no other way to authenticate.
 *
 * @module
 */
import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Rate } from "@vitrine/guard";
import { Listeners } from "@vitrine/protocol";
import { GatewayError } from "@vitrine/wire";
import type { UserSettings } from "../config/config.js";
import type { Caller } from "./api.js";
import { Buckets } from "./buckets.js";
import { cookieValues } from "./cookie.js";
import { crossSite, HttpError } from "./http-error.js";

/** The user of a gateway without configured users. */
export const LOCAL_USER = "local";

/** Options of {@link Authentication}. */
export interface AuthenticationOptions {
  /** The users. If there are none, a token is created for the user `local`. */
  users?: readonly UserSettings[] | undefined;
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
  /** Called with errors that listeners throw. */
  onerror?: ((error: unknown) => void) | undefined;
  now?: (() => number) | undefined;
}

/** The credentials in a request. */
export interface RequestCredentials {
  authorization?: string | undefined;
  cookie?: string | undefined;
}

/** Options of {@link Authentication.link}. */
export interface LinkOptions {
  /**
   * Whether a web page may lead the browser here: a file that this process writes, so that the link appears in no
   * process list. Such links are valid for a minute, and only a program with access to this object can create them.
   * Any other link must be opened by the person: users can create links for themselves, and a page that led another
   * person's browser to one would sign that person in as its creator, who would then see everything that they do
   * (login CSRF).
   */
  readonly arrival?: boolean | undefined;
  /** Called when the link has signed a browser in. */
  readonly onused?: (() => void) | undefined;
  /** The fragment of the address that it leads to, such as `conversation=…`. */
  readonly fragment?: string | undefined;
}

interface Link extends Grounds, LinkOptions {
  readonly until: number;
}

/** An authenticated caller, and its browser. */
export interface Admitted {
  readonly caller: Caller;
  /** The browser's session, if the request had a cookie. */
  readonly browser?: string | undefined;
}

/** The basis of a sign-in: it ends when the user's token changes. */
interface Grounds {
  readonly user: string;
  /** Identifies the user's token, by a hash of its hash. */
  readonly credential: string;
}

interface BrowserSession extends Grounds {
  readonly until: number;
  usedAt: number;
}

/** A signed-in browser as it is stored: by the hash of its cookie, which cannot be used to sign in. */
export interface SignedInBrowser extends Readonly<BrowserSession> {
  readonly browser: string;
}

/** Maximum number of links of each kind. Beyond it, the oldest is removed. */
const MAX_LINKS = 100;
/** Milliseconds that a link from a page is valid: a browser must start within this time. */
const ARRIVAL_LIFETIME = 60_000;
const MAX_BROWSERS = 1000;
/** Milliseconds of use after which the signed-in browsers are reported again. */
const REPORT_INTERVAL = 600_000;

const digest = (secret: string): string => hash("sha256", secret, "hex");
/** 256 bits. */
const secret = (): string => randomBytes(32).toString("base64url");
/**
 * Replaces the hash of a generated token, which changes at each start while sign-ins persist. No hash looks
 * like this.
 */
const MADE = "made";

interface User extends Readonly<{ name: string; hash: Buffer; credential: string }> {}

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
  #users: readonly User[];
  readonly #links = new Map<string, Link>();
  readonly #browsers = new Map<string, BrowserSession>();
  readonly #failures: Buckets;
  readonly #options: Required<Pick<AuthenticationOptions, "linkLifetime" | "idle" | "lifetime">>;
  readonly #now: () => number;
  readonly #signedOut: Listeners<[browser: string]>;
  readonly #onbrowsers: AuthenticationOptions["onbrowsers"];
  #reportedAt: number;

  constructor(options: AuthenticationOptions = {}) {
    const { users = [], linkLifetime = 300_000, idle = 43_200_000, lifetime = 604_800_000 } = options;
    this.#options = { linkLifetime, idle, lifetime };
    this.#now = options.now ?? Date.now;
    this.#signedOut = new Listeners(options.onerror);
    this.#failures = new Buckets(options.attempts ?? { burst: 10, perSecond: 0.2 }, this.#now);
    if (users.length === 0) this.token = secret();
    this.#users = this.token
      ? [{ name: LOCAL_USER, hash: Buffer.from(digest(this.token), "hex"), credential: MADE }]
      : users.map(readUser);
    for (const { browser, ...session } of options.browsers ?? [])
      if (this.#stands(session)) this.#browsers.set(browser, session);
    this.#onbrowsers = options.onbrowsers;
    this.#reportedAt = this.#now();
  }

  /**
   * Changes the users. The browsers of users who were removed or have a new token are signed out, because
   * anyone with the old token may have signed them in.
   */
  setUsers(users: readonly UserSettings[]): void {
    if (this.token || users.length === 0) {
      throw new GatewayError(
        "config-invalid",
        "restart the gateway to switch between a generated token and users",
      );
    }
    this.#users = users.map(readUser);
    for (const [code, link] of this.#links) if (!this.#stands(link)) this.#links.delete(code);
    for (const [browser, session] of this.#browsers) if (!this.#stands(session)) this.signOut(browser);
  }

  /**
   * A code that signs a browser in, once, within a few minutes.
   *
   * @throws {GatewayError} `config-invalid` if the user does not exist
   */
  link(user: string, { arrival, onused, fragment }: LinkOptions = {}): string {
    const credential = this.#users.find(({ name }) => name === user)?.credential;
    if (credential === undefined) {
      throw new GatewayError("config-invalid", `there is no user ${JSON.stringify(user)}`);
    }
    const code = secret();
    const { linkLifetime } = this.#options;
    const until = this.#now() + (arrival ? Math.min(ARRIVAL_LIFETIME, linkLifetime) : linkLifetime);
    this.#links.set(digest(code), { user, credential, until, arrival, onused, fragment });
    keepNewest(this.#links, MAX_LINKS);
    return code;
  }

  /**
   * Exchanges the code of a one-time link for the value of a cookie. `isLed` says that a page of another site
   * led the browser here, which few links allow; the others stay valid.
   *
   * @throws {HttpError} `unauthenticated` for an invalid code, `cross-site`
   */
  signIn(code: string, address: string, isLed = false): string {
    const key = digest(code);
    const link = this.#links.get(key);
    if (isLed && !link?.arrival) throw crossSite();
    this.#links.delete(key);
    if (!link || link.until < this.#now()) {
      this.#fail(address, "this link was used already, or has expired: get a new one from the gateway");
    }
    const value = secret();
    const now = this.#now();
    this.#browsers.set(digest(value), {
      user: link.user,
      credential: link.credential,
      until: now + this.#options.lifetime,
      usedAt: now,
    });
    for (const browser of keepNewest(this.#browsers, MAX_BROWSERS)) this.#notifyEnd(browser);
    this.#reportBrowsers();
    link.onused?.();
    return value;
  }

  /** The fragment that a link leads to; read it before using the link. */
  fragmentOf(code: string): string | undefined {
    return this.#links.get(digest(code))?.fragment;
  }

  /** Ends a browser's session: its cookie becomes invalid. */
  signOut(browser: string): void {
    if (!this.#browsers.delete(browser)) return;
    this.#notifyEnd(browser);
    this.#reportBrowsers();
  }

  /** Adds a listener for signed-out browsers, so that their connections can be closed. */
  onSignOut(listener: (browser: string) => void): () => void {
    return this.#signedOut.add(listener);
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
    this.#fail(address, "your browser is no longer signed in: open a new link of the gateway");
  }

  /** The user who is signed in in a browser, if any. */
  browserOf(cookie: string | undefined, cookieName: string): Admitted | undefined {
    if (cookie === undefined) return undefined;
    for (const value of cookieValues(cookie, cookieName)) {
      const browser = digest(value);
      const session = this.#meet(browser, true);
      if (!session) continue;
      return { caller: { user: session.user, meet: (isUsed) => void this.#meet(browser, isUsed) }, browser };
    }
    return undefined;
  }

  /** The session of a browser. An expired one is signed out. */
  #meet(browser: string, isUsed: boolean): BrowserSession | undefined {
    const session = this.#browsers.get(browser);
    if (!session) return undefined;
    const now = this.#now();
    if (now > session.until || now - session.usedAt > this.#options.idle) {
      this.signOut(browser);
      return undefined;
    }
    if (isUsed) session.usedAt = now;
    if (now - this.#reportedAt >= REPORT_INTERVAL) this.#reportBrowsers();
    return session;
  }

  #admitToken(authorization: string, address: string): Caller {
    const token = /^Bearer ([\x21-\x7e]+)$/i.exec(authorization)?.[1] ?? "";
    const given = Buffer.from(digest(token), "hex");
    let found: string | undefined;
    // Compares all users, in constant time.
    for (const { name, hash } of this.#users) if (timingSafeEqual(hash, given)) found = name;
    // Only wrong credentials are limited: all clients behind a reverse proxy share an address, and a program
    // with an outdated token must not lock out the others on its machine.
    if (found === undefined) this.#fail(address, "unknown token");
    return { user: found };
  }

  #fail(address: string, message: string): never {
    const retryAfter = this.#failures.take(network(address));
    if (retryAfter > 0) {
      throw new HttpError("too-many-attempts", "too many wrong credentials from your address", {
        retryAfter,
      });
    }
    throw new HttpError("unauthenticated", message, { headers: CHALLENGE });
  }

  #stands({ user, credential }: Grounds): boolean {
    return this.#users.some((one) => one.name === user && one.credential === credential);
  }

  #reportBrowsers(): void {
    this.#reportedAt = this.#now();
    this.#onbrowsers?.([...this.#browsers].map(([browser, session]) => ({ browser, ...session })));
  }

  #notifyEnd(browser: string): void {
    this.#signedOut.notify(browser);
  }
}

const CHALLENGE = { "www-authenticate": 'Bearer realm="vitrine"' };

const missing = (): HttpError =>
  new HttpError(
    "unauthenticated",
    "open the link that the gateway printed, or send its token as Authorization: Bearer",
    { headers: CHALLENGE },
  );

function readUser({ name, tokenHash }: UserSettings): User {
  if (name !== "" && /^[0-9a-f]{64}$/i.test(tokenHash))
    return { name, hash: Buffer.from(tokenHash, "hex"), credential: digest(tokenHash.toLowerCase()) };
  throw new GatewayError(
    "config-invalid",
    `user ${JSON.stringify(name)} needs a tokenHash: the SHA-256 of a token, in 64 hexadecimal digits`,
  );
}

function keepNewest(map: Map<string, unknown>, count: number): string[] {
  const gone: string[] = [];
  for (const key of map.keys()) {
    if (map.size <= count) break;
    map.delete(key);
    gone.push(key);
  }
  return gone;
}

/** An IPv6 customer has a whole network of addresses: the first four groups identify it. */
const network = (address: string): string =>
  address.includes(".") || !address.includes(":") ? address : address.split(":").slice(0, 4).join(":");
