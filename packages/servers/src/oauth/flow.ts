/**
 * One run of the SDK's `auth()`: a refresh, or the beginning of a sign-in. What belongs to one run is kept here, so that
 * two runs cannot mix.
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
import { GatewayError } from "@vitrine/wire";
import type { RemoteSettings } from "../settings.js";
import { checkAuthorizeUrl } from "./authorize-url.js";

/** What is kept of a server and a user, on disk. */
export interface Credentials {
  /** The server's address: tokens are for it alone. */
  url: string;
  /** The authorization server that gave the tokens. */
  issuer?: string | undefined;
  /** What the authorization server knows us as, if it registered us by itself, and for which way back. */
  client?: StoredOAuthClientInformation | undefined;
  redirectUrl?: string | undefined;
  tokens?: StoredOAuthTokens | undefined;
}

/** A sign-in that a person has to finish. */
export interface Begun {
  authorizeUrl: string;
  state: string;
  verifier: string;
  issuer: string;
  discovery: OAuthDiscoveryState;
  client: StoredOAuthClientInformation;
  redirectUrl: string;
  resource?: string | undefined;
}

/** What a {@link Flow} needs. */
export interface FlowContext {
  settings: RemoteSettings;
  redirectUrl: string;
  clientName: string;
  credentials: Credentials;
  save(change: Partial<Credentials>): Promise<void>;
}

/** The part of the client that the SDK asks. */
export class Flow implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly clientMetadata: OAuthClientMetadata;
  /** The sign-in, if it came to one. */
  begun: Begun | undefined;
  readonly #context: FlowContext;
  readonly #state = randomBytes(32).toString("base64url");
  #verifier = "";
  #resource: string | undefined;
  #discovery: OAuthDiscoveryState | undefined;
  #client: StoredOAuthClientInformation | undefined;

  constructor(context: FlowContext) {
    this.#context = context;
    this.redirectUrl = context.redirectUrl;
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
   * A client that the operator registered is for one authorization server: another one, which a server may name at any
   * time, must not get its secret.
   */
  clientInformation(ctx?: OAuthClientInformationContext): StoredOAuthClientInformation | undefined {
    const { settings, credentials } = this.#context;
    const { clientId, clientSecret } = settings;
    const bound = settings.issuer ?? (clientId ? credentials.issuer : undefined);
    if (bound !== undefined && ctx && !isSameIssuer(bound, ctx.issuer))
      throw new GatewayError(
        "server-unauthorized",
        `it names another authorization server than ${bound}. If that is right, change oauth.issuer in the settings, or sign out first`,
      );
    if (clientId)
      this.#client = {
        client_id: clientId,
        ...(clientSecret && { client_secret: clientSecret }),
        ...(ctx && { issuer: ctx.issuer }),
      };
    // Registered for another way back: good for a refresh, and for nothing else.
    else if (credentials.redirectUrl === this.redirectUrl || credentials.tokens?.refresh_token)
      this.#client = credentials.client;
    else this.#client = undefined;
    return this.#client;
  }

  async saveClientInformation(client: StoredOAuthClientInformation): Promise<void> {
    this.#client = client;
    if (!this.#context.settings.clientId) await this.#context.save({ client, redirectUrl: this.redirectUrl });
  }

  tokens = (): StoredOAuthTokens | undefined => this.#context.credentials.tokens;

  saveTokens = (tokens: StoredOAuthTokens): Promise<void> =>
    this.#context.save({ tokens, issuer: tokens.issuer });

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  /** Codes are not exchanged by `auth()`: it would do that twice with a code that is refused. */
  codeVerifier(): never {
    throw new GatewayError("server-unauthorized", "a sign-in is finished by its callback");
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
      throw new GatewayError("server-unauthorized", "nobody to sign in at was found");
    this.begun = {
      authorizeUrl: checkAuthorizeUrl(url, { loopback: this.#context.settings.privateNetwork }),
      state: this.#state,
      verifier: this.#verifier,
      issuer: discovery.authorizationServerMetadata?.issuer ?? discovery.authorizationServerUrl,
      discovery,
      client,
      redirectUrl: this.redirectUrl,
      resource: this.#resource,
    };
  }
}

/** The same, but for a slash at the end: addresses get one when they are parsed. */
const isSameIssuer = (a: string, b: string): boolean => a.replace(/\/$/, "") === b.replace(/\/$/, "");
