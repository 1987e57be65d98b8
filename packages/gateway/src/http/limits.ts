/**
 * How much the listener takes.
 *
 * @module
 */
import type { Rate } from "@vitrine/guard";

/** Limits of the listener. */
export interface HttpLimits {
  /** Bytes of all headers. */
  headerBytes: number;
  /** Number of headers. */
  headers: number;
  /** Characters of path and query. */
  address: number;
  /** Bytes of a body; some routes take less. */
  body: number;
  /** Milliseconds until the headers must be there. */
  headersTimeout: number;
  /** Milliseconds until the whole request must be there. */
  requestTimeout: number;
  /** Milliseconds that a connection is kept without a request. More than that of a reverse proxy in front. */
  keepAlive: number;
  /** Connections at a time; more are closed at once. */
  connections: number;
  /** Requests of one caller. */
  rate: Rate;
}

/** No caller that behaves comes near. */
export const HTTP_LIMITS: HttpLimits = {
  headerBytes: 16_384,
  headers: 100,
  address: 8192,
  body: 16_777_216,
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAlive: 75_000,
  connections: 20_000,
  rate: { burst: 4000, perSecond: 2000 },
};
