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
import { GatewayError, type SignInAttempt, type SignInState } from "@vitrine/wire";
import type { SecretStore } from "../secrets/secrets.js";
import type { RemoteSettings } from "../settings.js";
import { messageOf } from "../support/message-of.js";
import { enterpriseTokens } from "./enterprise.js";
import { Flow, type OAuthCredentials, type StartedSignIn } from "./flow.js";
import { revokeTokens } from "./revocation.js";
import { secretsIn } from "./settings-secrets.js";
import { inTurn, notingUse, type SharedTokens, withoutUsedToken } from "./shared-refresh.js";
import { SignInRecord } from "./sign-in-record.js";
import { signInState } from "./sign-in-state.js";
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
  /** Reaches the identity provider in the settings; see `RemoteSettings.enterprise`. */
  fetchIdentity?: FetchLike | undefined;
  redirectUrl: () => string;
  clientName: string;
  /** Keeps a started sign-in until the user returns from it. */
  keep(session: OAuthSession, started: StartedSignIn): void;
  /** The address of the pending sign-in, if it was started recently. */
  waiting(session: OAuthSession): string | undefined;
  /** Forgets pending sign-ins. */
  drop(session: OAuthSession): void;
  /** Called when there is something new in {@link OAuthSession.state}. */
  onchange?: (() => void) | undefined;
  now: () => number;
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
  readonly #record: SignInRecord;
  /** The server's last challenge, for a sign-in that the user starts. */
  #challenge: Challenge = {};
  #run: Promise<void> | undefined;

  constructor(context: OAuthSessionContext) {
    this.#context = context;
    this.#signedIn = new Listeners(context.onerror);
    const { user, server, settings, secrets, shared, now, onchange } = context;
    this.#record = new SignInRecord({ now, onchange });
    for (const secret of secretsIn(settings)) this.#record.mask.learn(secret);
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
        if (tokens && sent !== undefined && sent !== `Bearer ${tokens.access_token}`)
          return this.#record.dismiss();
        this.#challenge = extractWWWAuthenticateParams(response);
        await this.#authorize(this.#challenge, false, sent);
      },
    };
  }

  /** Wraps the transport's `fetch` to remember which token a response belongs to. */
  watch(fetch: FetchLike): FetchLike {
    return async (url, init) => {
      const before = performance.now();
      const response = await fetch(url, init);
      this.#record.called(url, init, response, performance.now() - before);
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

  /** Whether an identity provider decides, and the user is not asked. */
  get isManaged(): boolean {
    return this.#context.settings.enterprise !== undefined;
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

  /** Everything that a page shows about this sign-in. */
  async state(): Promise<SignInState> {
    const { settings, redirectUrl, now } = this.#context;
    return signInState({
      settings,
      credentials: await this.#credentials.load(),
      record: this.#record,
      redirectUrl: redirectUrl(),
      authorizeUrl: this.authorizeUrl,
      now: now(),
    });
  }

  /**
   * Starts a new sign-in, or completes one that needs no user.
   *
   * @throws {GatewayError} `server-unauthorized` if it cannot be started
   */
  async signIn(): Promise<void> {
    const { settings } = this.#context;
    const { resourceMetadataUrl, scope } = this.#challenge;
    const challenge = { resourceMetadataUrl, scope: settings.scope ?? scope };
    await this.#authorize(challenge, true).catch(unlessUnauthorized);
    if (settings.enterprise) this.#signedIn.notify();
  }

  /**
   * Refreshes the tokens now. If the authorization server rejects that, a sign-in is started.
   *
   * @throws {GatewayError} `server-unauthorized` if there is nothing to refresh
   */
  async refresh(): Promise<void> {
    const { tokens } = await this.#credentials.load();
    if (!tokens?.refresh_token && !this.#context.settings.enterprise)
      throw this.#failed("there is no refresh token: sign in again");
    const rejected = tokens && `Bearer ${tokens.access_token}`;
    await this.#authorize(this.#challenge, false, rejected).catch(unlessUnauthorized);
  }

  /** Revokes the tokens if the authorization server can, and deletes them. */
  async signOut(): Promise<void> {
    // A refresh in progress would store new ones.
    await this.#run?.catch(() => {});
    const { settings } = this.#context;
    const attempt = this.#record.start();
    const stored = await this.#credentials.load();
    const { clientId, clientSecret } = settings;
    const client = clientId ? { client_id: clientId, client_secret: clientSecret } : stored.client;
    try {
      if (client) await revokeTokens(stored, client, this.#record.fetch(attempt, this.#fetch, "sign-out"));
    } catch (error) {
      // They are forgotten here in any case.
      this.#record.note(attempt, "sign-out", "failed", { message: messageOf(error) });
    }
    await this.#credentials.delete();
    this.#context.drop(this);
    this.#record.note(attempt, "sign-out", "forgotten");
    this.#record.end(attempt, "forgotten");
  }

  /** Reads the tokens again when they are needed: another process may have changed them. */
  reload(): void {
    this.#credentials.forget();
  }

  /**
   * Completes a sign-in with the query of the authorization server's redirect. A sign-in can be used once.
   */
  async finish(started: StartedSignIn, query: URLSearchParams): Promise<void> {
    const { discovery, client, verifier, resource, redirectUrl, issuer, attempt } = started;
    const record = this.#record;
    const metadata = discovery.authorizationServerMetadata;
    const iss = query.get("iss") ?? undefined;
    for (const name of ["code", "state"]) record.mask.learn(query.get(name));
    const returned = ["code", "error", "error_description", "iss"].map((name) => [
      name,
      query.get(name) ?? undefined,
    ]);
    record.note(attempt, "authorization", "returned", Object.fromEntries(returned));
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
        fetchFn: record.fetch(attempt, this.#fetch),
      });
      // Tokens are refreshed by the client that received them.
      const own = this.#context.settings.clientId ? {} : { client, redirectUrl };
      await this.#credentials.overwrite({
        tokens: { ...tokens, issuer },
        tokensAt: this.#context.now(),
        issuer,
        refreshing: undefined,
        ...own,
      });
      record.end(attempt, "signed-in");
    } catch (cause) {
      this.#noteFailure(attempt, cause);
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
    const attempt = this.#record.begin();
    try {
      await (this.#context.settings.enterprise
        ? this.#useIdentity(challenge, attempt)
        : this.#useFlow(challenge, isForced, attempt));
    } catch (error) {
      if (attempt.outcome === "running") this.#noteFailure(attempt, error);
      throw error;
    }
  }

  /** Refreshes, or starts a sign-in of the user. */
  async #useFlow(challenge: Challenge, isForced: boolean, attempt: SignInAttempt): Promise<void> {
    const { settings, redirectUrl, clientName, shared, now } = this.#context;
    const record = this.#record;
    const stored = await this.#credentials.load();
    // A sign-in is pending: a second one would hide it.
    const isWaiting = !isForced && this.authorizeUrl !== undefined;
    const credentials = shared ? withoutUsedToken({ ...stored }) : stored;
    const save = async (change: Partial<OAuthCredentials>) => {
      await this.#credentials.save(change);
      // The SDK may ask again in the same run: for tokens that it has just declared invalid, too.
      Object.assign(credentials, change);
    };
    const about = { settings, redirectUrl: redirectUrl(), clientName, record, attempt, now };
    const flow = new Flow({ ...about, credentials, save });
    const scope = settings.scope && !isForced ? settings.scope : challenge.scope;
    const fetch = record.fetch(attempt, this.#fetch);
    try {
      const result = await auth(flow, {
        serverUrl: settings.url,
        fetchFn: shared ? notingUse(fetch, this.#credentials) : fetch,
        forceReauthorization: isForced,
        ...(scope && { scope }),
        ...(challenge.resourceMetadataUrl && { resourceMetadataUrl: challenge.resourceMetadataUrl }),
      });
      if (result === "AUTHORIZED") return record.end(attempt, "refreshed");
    } catch (cause) {
      throw this.#impossible(cause);
    }
    // This process may have been frozen while another one refreshed.
    if (shared && (await this.#credentials.hasNewer(stored))) return record.end(attempt, "refreshed");
    if (flow.started && !isWaiting) {
      this.#context.keep(this, flow.started);
      record.end(attempt, "waiting");
    } else record.merge(attempt);
    throw new UnauthorizedError(`${this.server}: sign in first`);
  }

  /** Gets tokens from the identity provider in the settings. */
  async #useIdentity(challenge: Challenge, attempt: SignInAttempt): Promise<void> {
    const { user, settings, fetchIdentity, now } = this.#context;
    const { enterprise } = settings;
    if (!enterprise || !fetchIdentity) throw this.#failed("there is no identity provider in its settings");
    const record = this.#record;
    try {
      const { tokens, issuer } = await enterpriseTokens({
        user,
        settings,
        enterprise,
        ...challenge,
        fetch: this.#fetch,
        fetchIdentity: inTime(fetchIdentity),
        record,
        attempt,
      });
      await this.#credentials.overwrite({ tokens: { ...tokens, issuer }, tokensAt: now(), issuer });
    } catch (cause) {
      throw this.#impossible(cause);
    }
    record.end(attempt, "signed-in");
  }

  readonly #fetch: FetchLike = (url, init) => inTime(this.#context.fetch)(url, init);

  #impossible(cause: unknown): GatewayError {
    const why = cause instanceof GatewayError ? cause.message : "its authorization server is not usable";
    return this.#failed(`sign-in is not possible: ${why}`, cause);
  }

  /** Notes why an attempt ended: the error of the SDK, which says more than ours. */
  #noteFailure(attempt: SignInAttempt, error: unknown): void {
    const inner = error instanceof GatewayError && error.cause !== undefined ? error.cause : error;
    const step = this.#record.lastStep(attempt);
    const facts = { error: inner instanceof Error ? inner.name : "Error", message: messageOf(inner) };
    this.#record.note(attempt, step, "failed", facts);
    this.#record.end(attempt, "failed");
  }

  #failed(message: string, cause?: unknown): GatewayError {
    return new GatewayError("server-unauthorized", `${this.server}: ${message}`, { cause });
  }
}

/** An authorization server that does not answer fails. */
const inTime =
  (fetch: FetchLike): FetchLike =>
  (url, init) => {
    const signals = [AbortSignal.timeout(TIMEOUT), ...(init?.signal ? [init.signal] : [])];
    return fetch(url, { ...init, signal: AbortSignal.any(signals) });
  };

/** A user who must act is no failure of a sign-in that was just started. */
function unlessUnauthorized(error: unknown): void {
  if (!(error instanceof UnauthorizedError)) throw error;
}
