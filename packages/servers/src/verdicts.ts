/**
 * Which generation of the protocol a server speaks: found out once.
 *
 * @module
 */
import type { VersionNegotiationOptions } from "@modelcontextprotocol/client";
import type { ServerSettings } from "./settings.js";

/** `legacy`: sessions, up to 2025-11-25. Otherwise a revision from 2026-07-28 on. */
export type Verdict = string;

/** Keeps verdicts; in memory by default. */
export interface VerdictStore {
  get(key: string): Verdict | undefined;
  set(key: string, verdict: Verdict): void;
  delete(key: string): void;
}

/** What a verdict is about: another program or address may speak otherwise. */
export const verdictKey = ({ name, identity, transport }: ServerSettings): string =>
  JSON.stringify([name, identity, transport.type]);

/** Longest time in milliseconds that a server may take to say that it does not know `server/discover`. */
const PROBE = 10_000;

/**
 * How the client is to negotiate. Without a verdict it asks `server/discover` on the connection that it will use, and
 * shakes hands on the same one if that is not known; with one it does the right thing at once.
 */
export function negotiation(verdict: Verdict | undefined, startTimeout: number): VersionNegotiationOptions {
  if (verdict === "legacy") return { mode: "legacy" };
  if (verdict !== undefined) return { mode: { pin: verdict } };
  return { mode: "auto", probe: { timeoutMs: Math.min(PROBE, startTimeout / 2) } };
}
