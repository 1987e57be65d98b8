/**
 * The claims of a token, as far as they explain why a server accepts or rejects it.
 *
 * @module
 */
import { isRecord } from "@vitrine/protocol";
import type { TokenClaims } from "@vitrine/wire";
import type { SignInMask } from "./sign-in-mask.js";

/** Claims that are shown. The others are about the user. */
const SHOWN = ["iss", "aud", "resource", "client_id", "azp", "scope", "scp", "iat", "nbf", "exp"];
const MOST_TEXTS = 20;
const MOST_TOKEN = 32_000;

/** Reads a JSON Web Token without checking its signature. Undefined for other tokens. */
export function claimsOf(token: string | null | undefined, mask: SignInMask): TokenClaims | undefined {
  if (!token || token.length > MOST_TOKEN || !/^[\w-]+\.[\w-]+\.[\w-]*$/.test(token)) return undefined;
  const [head = "", payload = ""] = token.split(".");
  const [header, claims] = [decoded(head), decoded(payload)];
  if (!header || !claims) return undefined;
  const shown: TokenClaims = {};
  if (typeof header["typ"] === "string") shown["typ"] = mask.text(header["typ"], 60);
  for (const name of SHOWN) {
    const value = claims[name];
    if (typeof value === "number") shown[name] = value;
    else if (typeof value === "string") shown[name] = mask.text(value, 300);
    else if (Array.isArray(value))
      shown[name] = value
        .slice(0, MOST_TEXTS)
        .flatMap((each) => (typeof each === "string" ? mask.text(each, 300) : []));
  }
  return shown;
}

function decoded(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
