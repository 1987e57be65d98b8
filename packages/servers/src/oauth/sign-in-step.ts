/**
 * The steps to which the requests of a sign-in belong.
 *
 * @module
 */
import type { SignInStep } from "@vitrine/wire";

/** Grant types of RFC 8693 (token exchange) and RFC 7523 (JWT bearer). */
const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";

const GRANTS: Readonly<Record<string, SignInStep>> = {
  authorization_code: "token",
  refresh_token: "refresh",
  [JWT_BEARER]: "token",
  [TOKEN_EXCHANGE]: "identity",
};

/** The fields of a form that is sent; undefined for other bodies. */
export function formOf(body: RequestInit["body"]): URLSearchParams | undefined {
  if (body instanceof URLSearchParams) return body;
  return typeof body === "string" && !/^\s*[[{]/.test(body) && body.includes("=")
    ? new URLSearchParams(body)
    : undefined;
}

/** The step of a request to an authorization server, or to the metadata of a server. */
export function stepOf(url: string | URL, init: RequestInit | undefined): SignInStep {
  const grant = formOf(init?.body)?.get("grant_type");
  if (grant) return GRANTS[grant] ?? "token";
  if (init?.method?.toUpperCase() === "POST") return "registration";
  const { pathname } = new URL(url);
  // A server may name any address for its own metadata. Those of authorization servers are fixed.
  return /\/\.well-known\/(oauth-authorization-server|openid-configuration)(\/|$)/.test(pathname)
    ? "server-metadata"
    : "resource-metadata";
}
