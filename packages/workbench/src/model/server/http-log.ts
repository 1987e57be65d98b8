/**
 * HTTP requests of the gateway to a server.
 *
 * @module
 */
import type { WatchedExchange } from "@vitrine/wire";
import { Observable } from "../observable.js";

/** Exchanges that are kept. */
const MOST = 1_000;

/** An exchange with a number that stays the same. The gateway numbers anew whenever this page watches again. */
export interface LoggedExchange extends WatchedExchange {
  readonly n: number;
}

/** The list, the oldest first. */
export class HttpLog extends Observable {
  exchanges: readonly LoggedExchange[] = [];
  /** Exchanges that this page never got, or has dropped. */
  dropped = 0;
  #last = 0;

  /** Adds exchanges, and what is new about known ones. */
  take(exchanges: readonly WatchedExchange[], dropped = 0): void {
    const next = [...this.exchanges];
    for (const each of exchanges) {
      const at = next.findLastIndex(({ seq, at: time }) => seq === each.seq && time === each.at);
      const known = next[at];
      if (known) next[at] = { ...each, n: known.n };
      else next.push({ ...each, n: ++this.#last });
    }
    this.exchanges = next.slice(-MOST);
    this.dropped += dropped + next.length - this.exchanges.length;
    this.changed();
  }

  /** The exchange that carried a message with this id, at about this time (milliseconds since 1970). */
  ofMessage(id: string | number, method: string, at: number): LoggedExchange | undefined {
    return this.exchanges.findLast(
      ({ rpc, at: begun }) => rpc?.id === id && rpc.method === method && begun <= at + CLOCK,
    );
  }

  /** Drops all exchanges. */
  clear(): void {
    this.exchanges = [];
    this.dropped = 0;
    this.changed();
  }
}

/** Milliseconds between a message and its request. */
const CLOCK = 1_000;
