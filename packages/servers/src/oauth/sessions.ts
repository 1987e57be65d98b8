/**
 * Signing in to remote servers, in the person's own browser.
 *
 * @module
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { FetchLike } from "@modelcontextprotocol/client";
import { GatewayError } from "@vitrine/wire";
import type { SecretStore } from "../secrets/secrets.js";
import type { RemoteSettings } from "../settings.js";
import type { Begun } from "./flow.js";
import { OAuthSession } from "./session.js";

/** Options of {@link OAuthSessions}. */
export interface OAuthOptions {
  secrets: SecretStore;
  /** `<origin of the gateway>/oauth/callback`; asked for when it is needed. */
  redirectUrl: () => string;
  /** Makes the way to a server and its authorization server. */
  fetch: (settings: RemoteSettings) => FetchLike;
  /**
   * Whether only who is signed in to the gateway can finish a sign-in, as there are several users; they must by default.
   */
  needsUser?: (() => boolean) | undefined;
  /** What people read when they are asked for their consent. */
  clientName?: string | undefined;
  now?: (() => number) | undefined;
}

/** How long a person has for a sign-in, and how long the same one is offered. */
const LIFETIME = 600_000;
const OFFERED = 300_000;
/** Sign-ins of one user at one server that can be finished. */
const MAX_BEGUN = 3;

interface Waiting {
  session: OAuthSession;
  begun: Begun;
  digest: Buffer;
  at: number;
}

const digestOf = (state: string): Buffer => createHash("sha256").update(state).digest();

/**
 * The sign-ins of all users. Tokens are kept for each user and server, and sent to that server alone.
 *
 * @example
 * ```ts source="./oauth.examples.ts#oauthSessions"
 * const sessions = new OAuthSessions({
 *   secrets,
 *   redirectUrl: () => `${origin}/oauth/callback`,
 *   // Without the server's own headers: they are not for its authorization server.
 *   fetch: ({ url, privateNetwork }) =>
 *     safeFetch({ url, privateNetwork, message: 1_000_000, timeout: 30_000 }).fetch,
 * });
 * const session = sessions.for("ana", "mail", settings);
 * const transport = new StreamableHTTPClientTransport(new URL(settings.url), {
 *   authProvider: session.provider,
 *   fetch: session.watch(fetch),
 * });
 * // When it is refused, `session.authorizeUrl` is where the person signs in. Then the browser comes back:
 * const callback = (query: URLSearchParams, user: string) => sessions.authorized(query, user);
 * ```
 */
export class OAuthSessions {
  readonly #options: OAuthOptions;
  readonly #now: () => number;
  readonly #sessions = new Map<string, { session: OAuthSession; settings: RemoteSettings }>();
  #waiting: Waiting[] = [];

  constructor(options: OAuthOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** The session of a user at a server: the same object as long as the server's settings are the same. */
  for(user: string, server: string, settings: RemoteSettings): OAuthSession {
    const key = `${user}/${server}`;
    const known = this.#sessions.get(key);
    if (known && isDeepStrictEqual(known.settings, settings)) return known.session;
    if (known) this.#waiting = this.#waiting.filter(({ session }) => session !== known.session);
    const { secrets, redirectUrl, fetch, clientName = "Vitrine" } = this.#options;
    const session = new OAuthSession({
      user,
      server,
      settings,
      secrets,
      redirectUrl,
      clientName,
      fetch: fetch(settings),
      begin: (of, begun) => this.#begin(of, begun),
      waiting: (of) => this.#offered(of),
    });
    this.#sessions.set(key, { session, settings });
    return session;
  }

  /**
   * Takes the query that an authorization server sent the person's browser back with. A sign-in is for the user who
   * began it: nobody else can finish it, and so nobody can be led to sign in for another. `user` is who is signed in to the
   * gateway in that browser, if anybody.
   *
   * @throws {GatewayError} `server-unauthorized`
   */
  async authorized(query: URLSearchParams, user?: string): Promise<{ user: string; server: string }> {
    if (user === undefined && (this.#options.needsUser?.() ?? true))
      throw new GatewayError(
        "server-unauthorized",
        "Sign in to the gateway in this browser first, then begin again.",
      );
    const repeated = ["state", "code", "iss", "error"].some((name) => query.getAll(name).length > 1);
    const digest = digestOf(query.get("state") ?? "");
    const found = this.#live().find((one) => timingSafeEqual(one.digest, digest));
    if (!found || repeated || (user !== undefined && user !== found.session.user))
      throw new GatewayError(
        "server-unauthorized",
        "This sign-in is not known here, was used already, or is too old. Go back to the app and begin again.",
      );
    const { session, begun } = found;
    // All of them: after this one, the others are for nothing.
    this.#waiting = this.#waiting.filter((one) => one.session !== session);
    await session.finish(begun, query);
    return { user: session.user, server: session.server };
  }

  #live(): Waiting[] {
    this.#waiting = this.#waiting.filter(({ at }) => Math.abs(this.#now() - at) < LIFETIME);
    return this.#waiting;
  }

  #begin(session: OAuthSession, begun: Begun): void {
    const own = this.#live().filter((one) => one.session === session);
    const dropped = own.slice(0, Math.max(0, own.length + 1 - MAX_BEGUN));
    const kept = this.#waiting.filter((one) => !dropped.includes(one));
    this.#waiting = [...kept, { session, begun, digest: digestOf(begun.state), at: this.#now() }];
  }

  #offered(session: OAuthSession): string | undefined {
    const last = this.#live().findLast((one) => one.session === session);
    return last && Math.abs(this.#now() - last.at) < OFFERED ? last.begun.authorizeUrl : undefined;
  }
}
