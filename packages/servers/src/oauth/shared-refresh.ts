/**
 * Refreshes tokens that several processes use: one of them at a time, and never twice with the same refresh token.
 * Authorization servers that rotate refresh tokens take a second use for theft, and sign the user out.
 *
 * @module
 */
import { createHash } from "node:crypto";
import type { FetchLike } from "@modelcontextprotocol/client";
import { recordOf } from "@vitrine/protocol";
import { GatewayError } from "@vitrine/wire";
import { isUnsent } from "../cut-off.js";
import type { SharedSecretStore } from "../secrets/secrets.js";
import type { OAuthCredentials } from "./flow.js";
import type { StoredCredentials } from "./stored-credentials.js";

/** The right to refresh a token. It ends by itself after some time, in case its process dies. */
export interface RefreshLease {
  release(): Promise<void>;
}

/** Leases for tokens. */
export interface RefreshLeases {
  /** Takes the lease of a token. Resolves to undefined while another process has it. */
  take(key: string): Promise<RefreshLease | undefined>;
}

/** Everything that processes share to refresh tokens. */
export interface SharedTokens {
  readonly secrets: SharedSecretStore;
  readonly leases: RefreshLeases;
}

/** Milliseconds to wait for another process, and between looks at its result. */
const TIMEOUT = 60_000;
const INTERVAL = 100;

const digest = (token: string): string => createHash("sha256").update(token).digest("hex");

/**
 * Runs `work` with the lease. Returns without it if the token that was rejected is no longer the stored one: another
 * process was faster.
 *
 * @param rejected the `Authorization` header that the server rejected
 * @throws {GatewayError} `server-unauthorized` if the other process does not come to an end
 */
export async function inTurn(
  { leases }: SharedTokens,
  credentials: StoredCredentials,
  rejected: string | undefined,
  work: () => Promise<void>,
): Promise<void> {
  for (const deadline = performance.now() + TIMEOUT; ; ) {
    const lease = await leases.take(credentials.key);
    try {
      // Read after the lease was taken: nobody else changes it now.
      credentials.forget();
      const { tokens } = await credentials.load();
      if (tokens && rejected !== undefined && rejected !== `Bearer ${tokens.access_token}`) return;
      if (lease) return await work();
    } finally {
      // It ends by itself if this fails.
      await lease?.release().catch(() => {});
    }
    if (performance.now() > deadline)
      throw new GatewayError("server-unauthorized", "another node is still refreshing the token: try again");
    await new Promise((resolve) => setTimeout(resolve, INTERVAL));
  }
}

/**
 * The credentials without a refresh token that may have been used: a process noted that it sends it, and nothing about
 * the answer.
 */
export function withoutUsedToken(credentials: OAuthCredentials): OAuthCredentials {
  const { refreshing, tokens } = credentials;
  if (!tokens?.refresh_token || refreshing !== digest(tokens.refresh_token)) return credentials;
  const { refresh_token: _, ...others } = tokens;
  return { ...credentials, tokens: others };
}

/** Wraps the `fetch` to an authorization server: it notes each use of a refresh token before it is sent. */
export const notingUse =
  (fetch: FetchLike, credentials: StoredCredentials): FetchLike =>
  async (url, init) => {
    const body = init?.body;
    const used = body instanceof URLSearchParams ? body.get("refresh_token") : null;
    if (used === null) return fetch(url, init);
    await credentials.save({ refreshing: digest(used) });
    try {
      const response = await fetch(url, init);
      // The new tokens replace the note. An error of the server itself may have come after the token was replaced.
      if (!response.ok && (response.status < 500 || response.status === 503))
        await credentials.save({ refreshing: undefined });
      return response;
    } catch (error) {
      if (neverSent(error)) await credentials.save({ refreshing: undefined });
      throw error;
    }
  };

/** Whether the connection could not be opened. */
const neverSent = (error: unknown): boolean =>
  isUnsent(error) ||
  ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"].includes(
    `${recordOf(recordOf(error)["cause"])["code"]}`,
  );
