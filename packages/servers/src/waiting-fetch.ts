/**
 * Waits and retries when a server answers HTTP 429.
 *
 * @module
 */
import { setTimeout as wait } from "node:timers/promises";
import { isRecord } from "@vitrine/protocol";
import { GatewayError } from "@vitrine/wire";
import type { SafeFetch } from "./safe-fetch.js";
import { secondsToWait } from "./support/retry-after.js";

const MOST_TRIES = 3;
/** Maximum wait in seconds. */
const LONGEST = 30;

/**
 * Waits as long as the server asks, and repeats requests that are safe to repeat. A tool call fails with
 * `overloaded` instead, and `data.retryAfter` gives the seconds to wait: its caller decides whether to repeat
 * it.
 */
export function waitingFetch(inner: SafeFetch["fetch"]): SafeFetch["fetch"] {
  return async (url, init) => {
    for (let tries = 1; ; tries++) {
      const response = await inner(url, init);
      if (response.status !== 429) return response;
      const seconds = secondsToWait(response.headers.get("retry-after"), Date.now());
      await response.body?.cancel();
      if (tries === MOST_TRIES || seconds > LONGEST || isCall(init?.body)) {
        const message = `the server is overloaded; try again in ${seconds} seconds`;
        throw new GatewayError("overloaded", message, { data: { retryAfter: seconds, unsent: true } });
      }
      await wait(seconds * 1_000, undefined, init?.signal ? { signal: init.signal } : {});
    }
  };
}

function isCall(body: unknown): boolean {
  if (typeof body !== "string") return false;
  const message: unknown = JSON.parse(body);
  return isRecord(message) && message["method"] === "tools/call";
}
