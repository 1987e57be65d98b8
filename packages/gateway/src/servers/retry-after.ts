/**
 * What to do when a server says "not now" (HTTP 429).
 *
 * @module
 */
import { setTimeout as wait } from "node:timers/promises";
import { GatewayError } from "../errors.js";
import { isRecord } from "./record.js";
import type { SafeFetch } from "./safe-fetch.js";

const MOST_TRIES = 3;
/** Longest time in seconds that is waited for a server; and what is waited when it does not say how long. */
const LONGEST = 30;
const UNSAID = 1;

/**
 * Waits as long as the server wants, and asks again; but only what may be asked twice. A tool call fails with
 * `overloaded`, and `data.retryAfter` says how many seconds to wait: whether to do it again is its caller's choice.
 */
export function waitingFetch(inner: SafeFetch["fetch"]): SafeFetch["fetch"] {
  return async (url, init) => {
    for (let tries = 1; ; tries++) {
      const response = await inner(url, init);
      if (response.status !== 429) return response;
      const seconds = secondsToWait(response.headers.get("retry-after"), Date.now());
      await response.body?.cancel();
      if (tries === MOST_TRIES || seconds > LONGEST || isCall(init?.body)) {
        const message = `the server has too much to do; try again in ${seconds} seconds`;
        throw new GatewayError("overloaded", message, { data: { retryAfter: seconds } });
      }
      await wait(seconds * 1_000, undefined, init?.signal ? { signal: init.signal } : {});
    }
  };
}

/** `Retry-After` is a number of seconds, or a date. */
export function secondsToWait(header: string | null, now: number): number {
  if (header === null) return UNSAID;
  // `Date.parse` alone takes almost anything for a date.
  const date = /GMT$/.test(header) ? Date.parse(header) : Number.NaN;
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (date - now) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : UNSAID;
}

function isCall(body: unknown): boolean {
  if (typeof body !== "string") return false;
  const message: unknown = JSON.parse(body);
  return isRecord(message) && message["method"] === "tools/call";
}
