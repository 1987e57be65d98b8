/**
 * A single run of the SDK's `auth()`: a refresh, or the start of a sign-in. The state of a run is kept here,
 * so that two runs cannot interfere.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import type {
  OAuthClientInformationContext,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { GatewayError, type SignInAttempt, type SignInStep } from "@vitrine/wire";
import type { RemoteSettings } from "../settings.js";
import { checkAuthorizeUrl } from "./authorize-url.js";
import type { SignInRecord } from "./sign-in-record.js";

/** Stored data of a user at a server. */
export interface OAuthCredentials {
  /** The server's address. Tokens are sent to no other. */
  url: string;
  /** The authorization server that issued the tokens. */
  issuer?: string | undefined;
  /** The client that the authorization server registered dynamically, and its redirect URL. */
  client?: StoredOAuthClientInformation | undefined;
  redirectUrl?: string | undefined;
  tokens?: StoredOAuthTokens | undefined;
  /** When the tokens were issued, in milliseconds since 1970. */
  tokensAt?: number | undefined;
  /** The hash of a refresh token that was sent and not answered yet. Only with several processes. */
  refreshing?: string | undefined;
}

/** A sign-in that a user has to complete. */
export interface StartedSignIn {
  authorizeUrl: string;
  state: string;
  verifier: string;
  issuer: string;
  discovery: OAuthDiscoveryState;
  client: StoredOAuthClientInformation;
  redirectUrl: string;
  resource?: string | undefined;
  attempt: SignInAttempt;
}

/** Dependencies of a {@link Flow}. */
export interface FlowContext {
  settings: RemoteSettings;
  redirectUrl: string;
  clientName: string;
  credentials: OAuthCredentials;
  save(change: Partial<OAuthCredentials>): Promise<void>;
  record: SignInRecord;
  attempt: SignInAttempt;
  now: () => number;
}

/** Implements the client for the SDK. */
export class Flow implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly clientMetadata: OAuthClientMetadata;
  readonly clientMetadataUrl?: string;
  /** The sign-in, if one is required. */
  started: StartedSignIn | undefined;
  readonly #context: FlowContext;
  readonly #state = randomBytes(32).toString("base64url");
  #verifier = "";
  #resource: string | undefined;
  #discovery: OAuthDiscoveryState | undefined;
  #client: StoredOAuthClientInformation | undefined;

  constructor(context: FlowContext) {
    this.#context = context;
    this.redirectUrl = context.redirectUrl;
    if (context.settings.clientMetadataUrl) this.clientMetadataUrl = context.settings.clientMetadataUrl;
    this.clientMetadata = {
      client_name: context.clientName,
      redirect_uris: [context.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      ...(context.settings.scope && { scope: context.settings.scope }),
    };
  }

  state = (): string => this.#state;

  /**
   * A client that the operator registered belongs to one authorization server. A server may name another one
   * at any time, and that one must not get the secret.
   */
  clientInformation(ctx?: OAuthClientInformationContext): StoredOAuthClientInformation | undefined {
    const { settings, credentials } = this.#context;
    const { clientId, clientSecret } = settings;
    const bound = settings.issuer ?? (clientId ? credentials.issuer : undefined);
    if (bound !== undefined && ctx && !isSameIssuer(bound, ctx.issuer))
      throw new GatewayError(
        "server-unauthorized",
        `it names a different authorization server than ${bound}. If that is correct, change oauth.issuer in the settings, or sign out first`,
      );
    if (clientId)
      this.#client = {
        client_id: clientId,
        ...(clientSecret && { client_secret: clientSecret }),
        ...(ctx && { issuer: ctx.issuer }),
      };
    // Registered for another redirect URL: valid for a refresh only.
    else if (credentials.redirectUrl === this.redirectUrl || credentials.tokens?.refresh_token)
      this.#client = credentials.client;
    else this.#client = undefined;
    if (this.#client)
      this.#note("registration", clientId ? "client-settings" : "client-known", {
        client_id: this.#client.client_id,
      });
    return this.#client;
  }

  async saveClientInformation(client: StoredOAuthClientInformation): Promise<void> {
    this.#client = client;
    if (client.client_id === this.clientMetadataUrl)
      this.#note("registration", "client-document", { client_id: client.client_id });
    if (!this.#context.settings.clientId) await this.#context.save({ client, redirectUrl: this.redirectUrl });
  }

  tokens = (): StoredOAuthTokens | undefined => this.#context.credentials.tokens;

  saveTokens = (tokens: StoredOAuthTokens): Promise<void> =>
    this.#context.save({
      tokens,
      tokensAt: this.#context.now(),
      issuer: tokens.issuer,
      refreshing: undefined,
    });

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
    this.#context.record.mask.learn(verifier);
  }

  /** `auth()` must not exchange codes: it would do so twice with a code that is rejected. */
  codeVerifier(): never {
    throw new GatewayError("server-unauthorized", "a sign-in is completed by its callback");
  }

  saveDiscoveryState(discovery: OAuthDiscoveryState): void {
    this.#discovery = discovery;
  }

  saveResourceUrl(resource: string): void {
    this.#resource = resource;
  }

  async invalidateCredentials(scope: "all" | "client" | "tokens" | "verifier" | "discovery"): Promise<void> {
    if (scope === "all" || scope === "client") await this.#context.save({ client: undefined });
    if (scope === "all" || scope === "tokens") await this.#context.save({ tokens: undefined });
  }

  redirectToAuthorization(url: URL): void {
    const [discovery, client] = [this.#discovery, this.#client];
    if (!discovery || !client)
      throw new GatewayError("server-unauthorized", "no authorization server was found");
    this.#note("authorization", "redirect", { url: url.href });
    this.started = {
      authorizeUrl: checkAuthorizeUrl(url, { loopback: this.#context.settings.privateNetwork }),
      state: this.#state,
      verifier: this.#verifier,
      issuer: discovery.authorizationServerMetadata?.issuer ?? discovery.authorizationServerUrl,
      discovery,
      client,
      redirectUrl: this.redirectUrl,
      resource: this.#resource,
      attempt: this.#context.attempt,
    };
  }

  #note(
    step: SignInStep,
    code: "client-settings" | "client-known" | "client-document" | "redirect",
    facts: Record<string, string>,
  ): void {
    const { record, attempt } = this.#context;
    // The SDK may ask for the client several times.
    const isKnown = attempt.events.some((event) => event.kind === "note" && event.code === code);
    if (!isKnown || code === "redirect") record.note(attempt, step, code, facts);
  }
}

/** Compares without a trailing slash, which parsing adds to some addresses. */
export const isSameIssuer = (a: string, b: string): boolean => a.replace(/\/$/, "") === b.replace(/\/$/, "");
