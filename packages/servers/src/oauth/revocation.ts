/**
 * Revokes tokens (RFC 7009), so that they are worthless wherever they may be.
 *
 * @module
 */
import { discoverAuthorizationServerMetadata, type FetchLike } from "@modelcontextprotocol/client";
import { recordOf } from "@vitrine/protocol";
import { isLoopbackHost } from "../address.js";
import type { OAuthCredentials } from "./flow.js";

/** Milliseconds for all requests: a user who signs out does not wait for a server that is down. */
const TIMEOUT = 5_000;

/** The client that got the tokens. */
export interface TokenClient {
  client_id: string;
  client_secret?: string | undefined;
}

/** Revokes the tokens if the authorization server supports it. Rejects if it cannot be reached. */
export async function revokeTokens(
  { tokens, issuer }: OAuthCredentials,
  client: TokenClient,
  fetch: FetchLike,
): Promise<void> {
  if (!tokens || !issuer) return;
  const signal = AbortSignal.timeout(TIMEOUT);
  const fetchFn: FetchLike = (url, init) => fetch(url, { ...init, signal });
  const metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn });
  const endpoint: unknown = recordOf(metadata)["revocation_endpoint"];
  if (typeof endpoint !== "string" || !isSecure(endpoint)) return;
  const { client_id, client_secret } = client;
  const given = [
    ["refresh_token", tokens.refresh_token],
    ["access_token", tokens.access_token],
  ] as const;
  for (const [hint, token] of given) {
    if (token === undefined) continue;
    const body = new URLSearchParams({ token, token_type_hint: hint });
    const headers = new Headers({ "content-type": "application/x-www-form-urlencoded" });
    if (client_secret === undefined) body.set("client_id", client_id);
    else headers.set("authorization", basic(client_id, client_secret));
    const response = await fetchFn(endpoint, { method: "POST", headers, body, redirect: "error" });
    await response.body?.cancel();
  }
}

const isSecure = (address: string): boolean => {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === "https:" || (protocol === "http:" && isLoopbackHost(hostname));
};

/** RFC 6749, section 2.3.1: both parts are encoded like form fields. */
const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${formEncoded(id)}:${formEncoded(secret)}`).toString("base64")}`;
const formEncoded = (text: string): string => new URLSearchParams({ x: text }).toString().slice(2);
