/**
 * A user's session at a remote server: tokens, their refresh, and the sign-in.
 *
 * @module
 */
import {
  type AuthProvider,
  auth,
  exchangeAuthorization,
  extractWWWAuthenticateParams,
  type FetchLike,
  UnauthorizedError,
  validateAuthorizationResponseIssuer,
} from "@modelcontextprotocol/client";
import { Listeners } from "@vitrine/protocol";
import { GatewayError } from "@vitrine/wire";
import type { SecretStore } from "../secrets/secrets.js";
import type { RemoteSettings } from "../settings.js";
import { Flow, type OAuthCredentials, type StartedSignIn } from "./flow.js";
import { inTurn, notingUse, type SharedTokens, withoutUsedToken } from "./shared-refresh.js";
import { StoredCredentials } from "./stored-credentials.js";

/** Dependencies of an {@link OAuthSession}. */
export interface OAuthSessionContext {
  user: string;
  server: string;
  settings: RemoteSettings;
  secrets: SecretStore;
  /** Set if other processes use the same tokens. */
  shared?: SharedTokens | undefined;
  /** Reaches the server and its authorization server, and only allowed addresses. */
  fetch: FetchLike;
  redirectUrl: () => string;
  clientName: string;
  /** Keeps a started sign-in until the user returns from it. */
  keep(session: OAuthSession, started: StartedSignIn): void;
  /** The address of the pending sign-in, if it was started recently. */
  waiting(session: OAuthSession): string | undefined;
  /** Called with errors that listeners throw. */
  onerror?: ((error: unknown) => void) | undefined;
}

/**
 * Timeout in milliseconds: an authorization server that does not respond must not block every call to its
 * server.
 */
const TIMEOUT = 30_000;

/** A server's challenge, sent when it rejected a token. */
interface Challenge {
  scope?: string | undefined;
  resourceMetadataUrl?: URL | undefined;
}

/** Created by `OAuthSessions`. */
export class OAuthSession {
  /**
   * The provider for a transport of the SDK. It is not an `OAuthClientProvider`: with one, the transport
   * would send the server's headers to the authorization server too, and refresh once for each rejected call.
   */
  readonly provider: AuthProvider;
  readonly #context: OAuthSessionContext;
  readonly #credentials: StoredCredentials;
  /** The token that each response belongs to. */
  readonly #sent = new WeakMap<Response, string>();
  readonly #signedIn: Listeners;
  #run: Promise<void> | undefined;

  constructor(context: OAuthSessionContext) {
    this.#context = context;
    this.#signedIn = new Listeners(context.onerror);
    const { user, server, settings, secrets, shared } = context;
    this.#credentials = new StoredCredentials({
      user,
      server,
      url: settings.url,
      secrets,
      shared: shared?.secrets,
    });
    this.provider = {
      token: async () => (await this.#credentials.load()).tokens?.access_token,
      onUnauthorized: async ({ response }) => {
        const { tokens } = await this.#credentials.load();
        const sent = this.#sent.get(response);
        // The call was rejected with an old token, and there is a newer one: the transport repeats it.
        if (tokens && sent !== undefined && sent !== `Bearer ${tokens.access_token}`) return;
        await this.#authorize(extractWWWAuthenticateParams(response), false, sent);
      },
    };
  }

  /** Wraps the transport's `fetch` to remember which token a response belongs to. */
  watch(fetch: FetchLike): FetchLike {
    return async (url, init) => {
      const response = await fetch(url, init);
      this.#sent.set(response, new Headers(init?.headers).get("authorization") ?? "");
      return response;
    };
  }

  get user(): string {
    return this.#context.user;
  }

  get server(): string {
    return this.#context.server;
  }

  /**
   * The address where the user must sign in, if required. Always `https:`, or plain http on this machine.
   */
  get authorizeUrl(): string | undefined {
    return this.#context.waiting(this);
  }

  /**
   * Starts a sign-in for more rights, after an `InsufficientScopeError` of a transport.
   *
   * @throws {UnauthorizedError} always, because the user must act
   */
  async needsMore(challenge: { requiredScope?: string | undefined; resourceMetadataUrl?: URL | undefined }) {
    const { tokens } = await this.#credentials.load();
    const scope = [...new Set(`${tokens?.scope ?? ""} ${challenge.requiredScope ?? ""}`.split(" "))].join(
      " ",
    );
    return this.#authorize({ scope: scope.trim(), resourceMetadataUrl: challenge.resourceMetadataUrl }, true);
  }

  /** Calls the listener after the user has signed in. Returns a function that removes the listener. */
  onSignedIn(listener: () => void): () => void {
    return this.#signedIn.add(listener);
  }

  /** Deletes the tokens. */
  async signOut(): Promise<void> {
    // A refresh in progress would store new ones.
    await this.#run?.catch(() => {});
    await this.#credentials.delete();
  }

  /** Reads the tokens again when they are needed: another process may have changed them. */
  reload(): void {
    this.#credentials.forget();
  }

  /**
   * Completes a sign-in with the query of the authorization server's redirect. A sign-in can be used once.
   */
  async finish(started: StartedSignIn, query: URLSearchParams): Promise<void> {
    const { discovery, client, verifier, resource, redirectUrl, issuer } = started;
    const metadata = discovery.authorizationServerMetadata;
    const iss = query.get("iss") ?? undefined;
    try {
      // First: a response of another authorization server must not be trusted in any way.
      validateAuthorizationResponseIssuer({
        iss,
        expectedIssuer: metadata?.issuer,
        issParameterSupported: metadata?.["authorization_response_iss_parameter_supported"] === true,
      });
      const error = query.get("error");
      const authorizationCode = query.get("code");
      if (error !== null || !authorizationCode)
        throw this.#failed(
          /^[a-z_]{1,40}$/.test(error ?? "") ? `sign-in ended with ${error}` : "sign-in failed",
        );
      const tokens = await exchangeAuthorization(discovery.authorizationServerUrl, {
        ...(metadata && { metadata }),
        clientInformation: client,
        authorizationCode,
        ...(iss !== undefined && { iss }),
        codeVerifier: verifier,
        redirectUri: redirectUrl,
        ...(resource !== undefined && { resource }),
        fetchFn: this.#fetch,
      });
      // Tokens are refreshed by the client that received them.
      const own = this.#context.settings.clientId ? {} : { client, redirectUrl };
      await this.#credentials.overwrite({
        tokens: { ...tokens, issuer },
        issuer,
        refreshing: undefined,
        ...own,
      });
    } catch (cause) {
      throw cause instanceof GatewayError ? cause : this.#failed("sign-in could not be completed", cause);
    }
    this.#signedIn.notify();
  }

  /** Refreshes, or starts a sign-in. All calls share a single run. */
  #authorize(challenge: Challenge, isForced = false, rejected?: string): Promise<void> {
    const { shared } = this.#context;
    const authorize = () => this.#authorizeOnce(challenge, isForced);
    this.#run ??= (shared ? inTurn(shared, this.#credentials, rejected, authorize) : authorize()).finally(
      () => {
        this.#run = undefined;
      },
    );
    return this.#run;
  }

  async #authorizeOnce(challenge: Challenge, isForced: boolean): Promise<void> {
    const { settings, redirectUrl, clientName, shared } = this.#context;
    const stored = await this.#credentials.load();
    // A sign-in is pending: a second one would hide it.
    const isWaiting = !isForced && this.authorizeUrl !== undefined;
    const credentials = shared ? withoutUsedToken({ ...stored }) : stored;
    const save = async (change: Partial<OAuthCredentials>) => {
      await this.#credentials.save(change);
      // The SDK may ask again in the same run: for tokens that it has just declared invalid, too.
      Object.assign(credentials, change);
    };
    const flow = new Flow({ settings, redirectUrl: redirectUrl(), clientName, credentials, save });
    const scope = settings.scope && !isForced ? settings.scope : challenge.scope;
    try {
      const result = await auth(flow, {
        serverUrl: settings.url,
        fetchFn: shared ? notingUse(this.#fetch, this.#credentials) : this.#fetch,
        forceReauthorization: isForced,
        ...(scope && { scope }),
        ...(challenge.resourceMetadataUrl && { resourceMetadataUrl: challenge.resourceMetadataUrl }),
      });
      if (result === "AUTHORIZED") return;
    } catch (cause) {
      const why = cause instanceof GatewayError ? cause.message : "its authorization server is not usable";
      throw this.#failed(`sign-in is not possible: ${why}`, cause);
    }
    // This process may have been frozen while another one refreshed.
    if (shared && (await this.#credentials.hasNewer(stored))) return;
    if (flow.started && !isWaiting) this.#context.keep(this, flow.started);
    throw new UnauthorizedError(`${this.server}: sign in first`);
  }

  readonly #fetch: FetchLike = (url, init) => {
    const signals = [AbortSignal.timeout(TIMEOUT), ...(init?.signal ? [init.signal] : [])];
    return this.#context.fetch(url, { ...init, signal: AbortSignal.any(signals) });
  };

  #failed(message: string, cause?: unknown): GatewayError {
    return new GatewayError("server-unauthorized", `${this.server}: ${message}`, { cause });
  }
}
