/**
 * Describes a sign-in for pages.
 *
 * @module
 */
import type { SignInState } from "@vitrine/wire";
import type { RemoteSettings } from "../settings.js";
import type { OAuthCredentials } from "./flow.js";
import type { SignInRecord } from "./sign-in-record.js";
import { claimsOf } from "./token-claims.js";

/** Milliseconds until a pending sign-in expires. */
export const SIGN_IN_LIFETIME = 600_000;

/** Describes everything but the secrets. */
export function signInState({
  settings,
  credentials: { tokens, tokensAt, issuer },
  record,
  redirectUrl,
  authorizeUrl,
  now,
}: {
  settings: RemoteSettings;
  credentials: OAuthCredentials;
  record: SignInRecord;
  redirectUrl: string;
  authorizeUrl: string | undefined;
  now: number;
}): SignInState {
  const { mask } = record;
  for (const token of [tokens?.access_token, tokens?.refresh_token, tokens?.id_token]) mask.learn(token);
  const expires = tokensAt !== undefined && tokens?.expires_in !== undefined;
  const claims = claimsOf(tokens?.access_token, mask);
  return {
    way: settings.enterprise ? "enterprise" : "user",
    url: mask.url(settings.url),
    redirectUrl,
    now,
    ...(tokens && {
      tokens: {
        ...(issuer && { issuer: mask.text(issuer) }),
        ...(tokens.scope && { scope: mask.text(tokens.scope) }),
        ...(expires && { expiresAt: tokensAt + (tokens.expires_in ?? 0) * 1000 }),
        canRefresh: tokens.refresh_token !== undefined || settings.enterprise !== undefined,
        ...(claims && { claims }),
      },
    }),
    ...(authorizeUrl && { authorizeUrl }),
    attempts: record.attempts(SIGN_IN_LIFETIME),
  };
}
