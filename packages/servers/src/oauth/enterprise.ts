/**
 * Authorization that the user's organization manages: an ID token becomes an identity assertion (ID-JAG, by the token
 * exchange of RFC 8693), and the assertion becomes tokens (by the JWT bearer grant of RFC 7523).
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import {
  checkResourceAllowed,
  discoverOAuthServerInfo,
  exchangeJwtAuthGrant,
  type FetchLike,
  type OAuthTokens,
  requestJwtAuthorizationGrant,
} from "@modelcontextprotocol/client";
import { GatewayError, type SignInAttempt } from "@vitrine/wire";
import type { EnterpriseSettings, RemoteSettings } from "../settings.js";
import { messageOf } from "../support/message-of.js";
import { isSameIssuer } from "./flow.js";
import type { SignInRecord } from "./sign-in-record.js";
import { claimsOf } from "./token-claims.js";

/** Dependencies of {@link enterpriseTokens}. */
export interface EnterpriseContext {
  user: string;
  settings: RemoteSettings;
  enterprise: EnterpriseSettings;
  /** The server's challenge. */
  scope?: string | undefined;
  resourceMetadataUrl?: URL | undefined;
  /** Reaches the server and its authorization server. */
  fetch: FetchLike;
  /** Reaches the identity provider. */
  fetchIdentity: FetchLike;
  record: SignInRecord;
  attempt: SignInAttempt;
}

/** Bytes of a file with a token. */
const MOST_TOKEN = 64_000;

/**
 * Gets tokens without asking the user.
 *
 * @throws {GatewayError} `server-unauthorized` if the server's metadata do not fit the settings, or there is no ID token
 */
export async function enterpriseTokens(
  context: EnterpriseContext,
): Promise<{ tokens: OAuthTokens; issuer: string }> {
  const { settings, enterprise, record, attempt, fetch } = context;
  const { url, issuer, clientId, clientSecret } = settings;
  if (!clientId || !issuer)
    throw refused("enterprise authorization needs oauth.clientId and oauth.issuer in the settings");
  const {
    resourceMetadata,
    authorizationServerMetadata: metadata,
    authorizationServerUrl,
  } = await discoverOAuthServerInfo(url, {
    fetchFn: record.fetch(attempt, fetch),
    ...(context.resourceMetadataUrl && { resourceMetadataUrl: context.resourceMetadataUrl }),
  });
  const named = metadata?.issuer ?? authorizationServerUrl;
  // The settings hold a secret for exactly one authorization server.
  if (!isSameIssuer(issuer, named))
    throw refused(`the server names the authorization server ${named}, and oauth.issuer is ${issuer}`);
  const resource = resourceMetadata?.resource;
  if (!metadata || resource === undefined)
    throw refused("the server or its authorization server publishes no metadata, which this way requires");
  if (!checkResourceAllowed({ requestedResource: new URL(url), configuredResource: resource }))
    throw refused(`the server's metadata are about ${resource}, and not about its own address`);
  record.note(attempt, "registration", "client-settings", { client_id: clientId });
  const scope = settings.scope ?? context.scope ?? resourceMetadata?.scopes_supported?.join(" ");
  const idToken = await subjectToken(context);
  const { jwtAuthGrant } = await requestJwtAuthorizationGrant({
    tokenEndpoint: enterprise.tokenEndpoint,
    audience: metadata.issuer,
    resource,
    idToken,
    clientId: enterprise.clientId,
    ...(enterprise.clientSecret && { clientSecret: enterprise.clientSecret }),
    ...(scope && { scope }),
    fetchFn: record.fetch(attempt, context.fetchIdentity, "identity"),
  });
  const tokens = await exchangeJwtAuthGrant({
    tokenEndpoint: metadata.token_endpoint,
    jwtAuthGrant,
    clientId,
    ...(clientSecret ? { clientSecret } : { authMethod: "none" as const }),
    fetchFn: record.fetch(attempt, fetch),
  });
  return { tokens, issuer: metadata.issuer };
}

/** The user's ID token. A file is read each time, because its token is replaced before it expires. */
async function subjectToken({ user, enterprise, record, attempt }: EnterpriseContext): Promise<string> {
  const { idToken, idTokenFile } = enterprise;
  const path = idTokenFile?.replaceAll("{user}", nameInPath(user));
  let token = idToken;
  if (path !== undefined) {
    try {
      token = (await readFile(path, "utf8")).slice(0, MOST_TOKEN).trim();
    } catch (error) {
      record.note(attempt, "identity", "failed", { error: "no-id-token", message: messageOf(error) });
      throw refused("the file with the ID token cannot be read");
    }
  }
  if (!token) {
    record.note(attempt, "identity", "failed", { error: "no-id-token", message: "there is no ID token" });
    throw refused("there is no ID token");
  }
  // Nothing else that a file may hold is sent anywhere.
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) {
    record.note(attempt, "identity", "failed", { error: "no-jwt", message: "it is no JSON Web Token" });
    throw refused("the ID token is no JSON Web Token");
  }
  record.mask.learn(token);
  record.note(
    attempt,
    "identity",
    "subject-token",
    { source: path === undefined ? "the settings" : "a file" },
    claimsOf(token, record.mask),
  );
  return token;
}

/** A user's name as part of a path: it cannot lead to another folder. */
function nameInPath(user: string): string {
  if (/^\.+$/.test(user)) throw refused("this user's name cannot be part of a path");
  return encodeURIComponent(user);
}

const refused = (message: string): GatewayError => new GatewayError("server-unauthorized", message);
