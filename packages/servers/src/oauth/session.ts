/**
 * One user at one remote server: its tokens, their refresh, and the sign-in that a person has to do.
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
import { GatewayError } from "@vitrine/wire";
import type { SecretStore } from "../secrets/secrets.js";
import { identityOf } from "../server-identity.js";
import type { RemoteSettings } from "../settings.js";
import { type Begun, type Credentials, Flow } from "./flow.js";

/** What an {@link OAuthSession} stands on. */
export interface OAuthSessionContext {
  user: string;
  server: string;
  settings: RemoteSettings;
  secrets: SecretStore;
  /** Reaches the server and its authorization server, and nothing that must not be reached. */
  fetch: FetchLike;
  redirectUrl: () => string;
  clientName: string;
  /** Keeps a sign-in until the person comes back from it. */
  begin(session: OAuthSession, begun: Begun): void;
  /** The address of the sign-in that waits, if it has just begun. */
  waiting(session: OAuthSession): string | undefined;
}

/** An authorization server that does not answer must not hold up every call to its server. */
const PATIENCE = 30_000;

/** What a server said when it refused a token. */
interface Challenge {
  scope?: string | undefined;
  resourceMetadataUrl?: URL | undefined;
}

/** Made by `OAuthSessions`. */
export class OAuthSession {
  /**
   * For a transport of the SDK. It is no `OAuthClientProvider`: with one, the transport would send what is for the server
   * to the authorization server, too, and refresh once for each call that was refused.
   */
  readonly provider: AuthProvider;
  readonly #context: OAuthSessionContext;
  readonly #key: string;
  /** From before there were identities. */
  readonly #oldKey: string;
  /** Which token an answer is about. */
  readonly #sent = new WeakMap<Response, string>();
  readonly #listeners = new Set<() => void>();
  #loaded: Promise<Credentials> | undefined;
  #run: Promise<void> | undefined;

  constructor(context: OAuthSessionContext) {
    this.#context = context;
    this.#oldKey = `oauth/${context.user}/${context.server}`;
    this.#key = `${this.#oldKey}/${identityOf({ url: context.settings.url })}`;
    this.provider = {
      token: async () => (await this.#load()).tokens?.access_token,
      onUnauthorized: async ({ response }) => {
        const { tokens } = await this.#load();
        const sent = this.#sent.get(response);
        // Refused with an old token, and there is a newer one by now: the call is made again with that.
        if (tokens && sent !== undefined && sent !== `Bearer ${tokens.access_token}`) return;
        await this.#authorize(extractWWWAuthenticateParams(response));
      },
    };
  }

  /** The `fetch` for the same transport: it remembers which token an answer is about. */
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

  /** Where the person must sign in, if they must. Always `https:`, or plain http on this machine. */
  get authorizeUrl(): string | undefined {
    return this.#context.waiting(this);
  }

  /**
   * Begins a sign-in for more rights; for an `InsufficientScopeError` of a transport.
   *
   * @throws {UnauthorizedError} always: the person is needed
   */
  async needsMore(challenge: { requiredScope?: string | undefined; resourceMetadataUrl?: URL | undefined }) {
    const { tokens } = await this.#load();
    const scope = [...new Set(`${tokens?.scope ?? ""} ${challenge.requiredScope ?? ""}`.split(" "))].join(
      " ",
    );
    return this.#authorize({ scope: scope.trim(), resourceMetadataUrl: challenge.resourceMetadataUrl }, true);
  }

  /** Hears that the person has signed in; returns how to stop. */
  onSignedIn(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Forgets the tokens. */
  async signOut(): Promise<void> {
    // A refresh that is under way would bring new ones.
    await this.#run?.catch(() => {});
    this.#loaded = Promise.resolve({ url: this.#context.settings.url });
    await this.#context.secrets.delete(this.#key);
    if (await this.#readOf(this.#oldKey)) await this.#context.secrets.delete(this.#oldKey);
  }

  /** Takes what the authorization server sent the browser back with. The sign-in cannot be used again. */
  async finish(begun: Begun, query: URLSearchParams): Promise<void> {
    const { discovery, client, verifier, resource, redirectUrl, issuer } = begun;
    const metadata = discovery.authorizationServerMetadata;
    const iss = query.get("iss") ?? undefined;
    try {
      // First: what another authorization server says counts for nothing.
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
      // Tokens are refreshed by the client that got them.
      const own = this.#context.settings.clientId ? {} : { client, redirectUrl };
      await this.#save({ tokens: { ...tokens, issuer }, issuer, ...own });
    } catch (cause) {
      throw cause instanceof GatewayError ? cause : this.#failed("sign-in could not be finished", cause);
    }
    for (const listener of [...this.#listeners]) listener();
  }

  /** A refresh, or the beginning of a sign-in: one at a time, however many calls wait for it. */
  #authorize(challenge: Challenge, isForced = false): Promise<void> {
    this.#run ??= this.#authorizeOnce(challenge, isForced).finally(() => {
      this.#run = undefined;
    });
    return this.#run;
  }

  async #authorizeOnce(challenge: Challenge, isForced: boolean): Promise<void> {
    const { settings, redirectUrl, clientName } = this.#context;
    const credentials = await this.#load();
    // A person is on their way: another sign-in would only take theirs out of sight.
    const isWaiting = !isForced && this.authorizeUrl !== undefined;
    const save = (change: Partial<Credentials>) => this.#save(change);
    const flow = new Flow({ settings, redirectUrl: redirectUrl(), clientName, credentials, save });
    const scope = settings.scope && !isForced ? settings.scope : challenge.scope;
    try {
      const result = await auth(flow, {
        serverUrl: settings.url,
        fetchFn: this.#fetch,
        forceReauthorization: isForced,
        ...(scope && { scope }),
        ...(challenge.resourceMetadataUrl && { resourceMetadataUrl: challenge.resourceMetadataUrl }),
      });
      if (result === "AUTHORIZED") return;
    } catch (cause) {
      const why = cause instanceof GatewayError ? cause.message : "its authorization server cannot be used";
      throw this.#failed(`nobody can sign in: ${why}`, cause);
    }
    if (flow.begun && !isWaiting) this.#context.begin(this, flow.begun);
    throw new UnauthorizedError(`${this.server}: somebody must sign in first`);
  }

  readonly #fetch: FetchLike = (url, init) => {
    const signals = [AbortSignal.timeout(PATIENCE), ...(init?.signal ? [init.signal] : [])];
    return this.#context.fetch(url, { ...init, signal: AbortSignal.any(signals) });
  };

  #failed(message: string, cause?: unknown): GatewayError {
    return new GatewayError("server-unauthorized", `${this.server}: ${message}`, { cause });
  }

  #load(): Promise<Credentials> {
    this.#loaded ??= this.#read().catch((error: unknown) => {
      this.#loaded = undefined;
      throw error;
    });
    return this.#loaded;
  }

  async #read(): Promise<Credentials> {
    const { url } = this.#context.settings;
    return (await this.#readOf(this.#key)) ?? (await this.#readOf(this.#oldKey)) ?? { url };
  }

  /** What is kept under a key, if it is for this very URL: a token is never sent to another one. */
  async #readOf(key: string): Promise<Credentials | undefined> {
    const text = await this.#context.secrets.get(key);
    const saved: Credentials | undefined = text === undefined ? undefined : JSON.parse(text);
    return saved?.url === this.#context.settings.url ? saved : undefined;
  }

  async #save(change: Partial<Credentials>): Promise<void> {
    const credentials = Object.assign(await this.#load(), change);
    await this.#context.secrets.set(this.#key, JSON.stringify(credentials));
  }
}
