/**
 * Signs users in to remote servers, in their own browsers.
 *
 * @module
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { FetchLike } from "@modelcontextprotocol/client";
import { GatewayError } from "@vitrine/wire";
import type { SecretStore } from "../secrets/secrets.js";
import type { RemoteSettings } from "../settings.js";
import type { StartedSignIn } from "./flow.js";
import { OAuthSession } from "./session.js";
import type { SharedTokens } from "./shared-refresh.js";
import { SIGN_IN_LIFETIME } from "./sign-in-state.js";

/** Options of {@link OAuthSessions}. */
export interface OAuthOptions {
  secrets: SecretStore;
  /** Set if other processes use the same tokens; then with the same secrets. */
  shared?: SharedTokens | undefined;
  /** `<origin of the gateway>/oauth/callback`; called on each use. */
  redirectUrl: () => string;
  /** Creates the `fetch` for a server and its authorization server. */
  fetch: (settings: RemoteSettings) => FetchLike;
  /** Creates the `fetch` for the identity provider of servers with `enterprise` settings; without it, they fail. */
  fetchIdentity?: ((settings: RemoteSettings) => FetchLike) | undefined;
  /**
   * Whether a sign-in can be completed only by a user who is signed in to the gateway, because there are
   * several users; true by default.
   */
  needsUser?: (() => boolean) | undefined;
  /** The client name that authorization servers show. */
  clientName?: string | undefined;
  /** Called with errors that listeners throw. */
  onerror?: ((error: unknown) => void) | undefined;
  /** Called, at most a few times a second, when there is something new in a user's sign-in at a server. */
  onchange?: ((user: string, server: string) => void) | undefined;
  now?: (() => number) | undefined;
}

/** Milliseconds until a sign-in expires, and during which the same one is offered again. */
const LIFETIME = SIGN_IN_LIFETIME;
const OFFERED = 300_000;
/** Milliseconds between two reports of changes. */
const PACE = 150;
/** Maximum number of pending sign-ins of a user at a server. */
const MAX_PENDING = 3;

interface Waiting {
  session: OAuthSession;
  started: StartedSignIn;
  digest: Buffer;
  at: number;
}

const digestOf = (state: string): Buffer => createHash("sha256").update(state).digest();

/**
 * The sign-ins of all users. Tokens are stored per user and server, and sent to that server only.
 *
 * @example
 * ```ts source="./oauth.examples.ts#oauthSessions"
 * const sessions = new OAuthSessions({
 *   secrets,
 *   redirectUrl: () => `${origin}/oauth/callback`,
 *   // Without the server's own headers, which its authorization server must not get.
 *   fetch: ({ url, privateNetwork }) =>
 *     safeFetch({ url, privateNetwork, message: 1_000_000, timeout: 30_000 }).fetch,
 * });
 * const session = sessions.for("ana", "mail", settings);
 * const transport = new StreamableHTTPClientTransport(new URL(settings.url), {
 *   authProvider: session.provider,
 *   fetch: session.watch(fetch),
 * });
 * // After a rejected request, the user signs in at `session.authorizeUrl`. Then the browser returns:
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

  /** The session of a user at a server: the same object as long as the server's settings do not change. */
  for(user: string, server: string, settings: RemoteSettings): OAuthSession {
    const key = `${user}/${server}`;
    const known = this.#sessions.get(key);
    if (known && isDeepStrictEqual(known.settings, settings)) return known.session;
    if (known) this.#waiting = this.#waiting.filter(({ session }) => session !== known.session);
    const {
      secrets,
      shared,
      redirectUrl,
      fetch,
      fetchIdentity,
      clientName = "Vitrine",
      onerror,
    } = this.#options;
    const session = new OAuthSession({
      user,
      server,
      settings,
      secrets,
      shared,
      redirectUrl,
      clientName,
      fetch: fetch(settings),
      keep: (of, started) => this.#keep(of, started),
      fetchIdentity: settings.enterprise && fetchIdentity?.(settings),
      waiting: (of) => this.#offered(of),
      drop: (of) => {
        this.#waiting = this.#waiting.filter((one) => one.session !== of);
      },
      onchange: this.#paced(user, server),
      now: this.#now,
      onerror,
    });
    this.#sessions.set(key, { session, settings });
    return session;
  }

  /** Reads the tokens of a user again when they are needed: another process may have changed them. */
  reload(user: string): void {
    for (const { session } of this.#sessions.values()) if (session.user === user) session.reload();
  }

  /**
   * Handles the query of an authorization server's redirect. Only the user who started a sign-in can complete
   * it, so nobody can be tricked into signing in for someone else. `user` is the user who is signed in to the
   * gateway in that browser, if any.
   *
   * @throws {GatewayError} `server-unauthorized`
   */
  async authorized(query: URLSearchParams, user?: string): Promise<{ user: string; server: string }> {
    if (user === undefined && (this.#options.needsUser?.() ?? true))
      throw new GatewayError(
        "server-unauthorized",
        "Sign in to the gateway in this browser first, then start again.",
      );
    const repeated = ["state", "code", "iss", "error"].some((name) => query.getAll(name).length > 1);
    const digest = digestOf(query.get("state") ?? "");
    const found = this.#live().find((one) => timingSafeEqual(one.digest, digest));
    if (!found || repeated || (user !== undefined && user !== found.session.user))
      throw new GatewayError(
        "server-unauthorized",
        "This sign-in is unknown, already used, or expired. Go back to the app and start again.",
      );
    const { session, started } = found;
    // Remove all sign-ins of the session: the others are obsolete now.
    this.#waiting = this.#waiting.filter((one) => one.session !== session);
    await session.finish(started, query);
    return { user: session.user, server: session.server };
  }

  /** Reports a change once in a while, and the last one always. */
  #paced(user: string, server: string): () => void {
    const { onchange, onerror } = this.#options;
    let isDue = false;
    return () => {
      if (isDue) return;
      isDue = true;
      setTimeout(() => {
        isDue = false;
        try {
          onchange?.(user, server);
        } catch (error) {
          onerror?.(error);
        }
      }, PACE).unref();
    };
  }

  #live(): Waiting[] {
    this.#waiting = this.#waiting.filter(({ at }) => Math.abs(this.#now() - at) < LIFETIME);
    return this.#waiting;
  }

  #keep(session: OAuthSession, started: StartedSignIn): void {
    const own = this.#live().filter((one) => one.session === session);
    const dropped = own.slice(0, Math.max(0, own.length + 1 - MAX_PENDING));
    const kept = this.#waiting.filter((one) => !dropped.includes(one));
    this.#waiting = [...kept, { session, started, digest: digestOf(started.state), at: this.#now() }];
  }

  #offered(session: OAuthSession): string | undefined {
    const last = this.#live().findLast((one) => one.session === session);
    return last && Math.abs(this.#now() - last.at) < OFFERED ? last.started.authorizeUrl : undefined;
  }
}
