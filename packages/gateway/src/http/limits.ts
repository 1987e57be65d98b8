/**
 * Limits of the listener.
 *
 * @module
 */
import type { Rate } from "@vitrine/guard";

export interface HttpLimits {
  /** Maximum bytes of all headers. */
  headerBytes: number;
  /** Maximum number of headers. */
  headers: number;
  /** Maximum characters of path and query. */
  address: number;
  /** Maximum bytes of a body; lower for some routes. */
  body: number;
  /** Milliseconds until the headers must be complete. */
  headersTimeout: number;
  /** Milliseconds until the whole request must be complete. */
  requestTimeout: number;
  /** Milliseconds that an idle connection is kept. Must be longer than that of a reverse proxy in front. */
  keepAlive: number;
  /** Maximum concurrent connections; by default as many as this process may open. Further ones are closed at once. */
  connections?: number | undefined;
  /** Rate limit per caller. */
  rate: Rate;
}

/** Defaults, far above the needs of well-behaved callers. */
export const HTTP_LIMITS: HttpLimits = {
  headerBytes: 16_384,
  headers: 100,
  address: 8192,
  body: 16_777_216,
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAlive: 75_000,
  rate: { burst: 4000, perSecond: 2000 },
};
