/**
 * Remembers which generation of the protocol each server speaks.
 *
 * @module
 */
import type { VersionNegotiationOptions } from "@modelcontextprotocol/client";
import type { ServerSettings } from "./settings.js";

/** `legacy` (sessions, up to 2025-11-25), or a revision from 2026-07-28 on. */
export type ProtocolEra = string;

/** Stores verdicts; in memory by default. */
export interface VerdictStore {
  get(key: string): ProtocolEra | undefined;
  set(key: string, verdict: ProtocolEra): void;
  delete(key: string): void;
}

/** The key of a verdict: another program or address may speak another generation. */
export const verdictKey = ({ name, identity, transport }: ServerSettings): string =>
  JSON.stringify([name, identity, transport.type]);

/** Maximum milliseconds for a server's answer to `server/discover`. */
const PROBE = 10_000;

/**
 * How the client negotiates. Without a verdict it sends `server/discover` on the connection that it will use,
 * and falls back to a handshake on the same connection. With a verdict it skips the probe.
 */
export function negotiation(
  verdict: ProtocolEra | undefined,
  startTimeout: number,
): VersionNegotiationOptions {
  if (verdict === "legacy") return { mode: "legacy" };
  if (verdict !== undefined) return { mode: { pin: verdict } };
  return { mode: "auto", probe: { timeoutMs: Math.min(PROBE, startTimeout / 2) } };
}
