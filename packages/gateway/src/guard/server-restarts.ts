/**
 * Restarts of servers by pages.
 *
 * @module
 */
import { Refusal } from "@vitrine/guard";
import type { Server } from "@vitrine/servers";
import { GatewayError } from "@vitrine/wire";

/**
 * Minimum milliseconds between restarts of a server: each ends pending calls. The other users of a shared server wait while
 * it starts.
 */
const PAUSE = { own: 1000, shared: 30_000 };

/** A restart of a server by one of its users. */
export interface Restart {
  readonly server: Server;
  /** Counts of running calls of the server's other users. */
  others(): number[];
  /** Records the restart. */
  record(): Promise<unknown>;
  restart(): Promise<void>;
}

/** Restarts servers, but not while calls of other users run in them, and not too often. */
export class ServerRestarts {
  /** The earliest time of the next restart. */
  readonly #next = new WeakMap<Server, number>();

  /** @throws {Refusal} `rate-limited`. @throws {GatewayError} `server-in-use` */
  async run({ server, others, record, restart }: Restart): Promise<void> {
    const { name } = server.settings;
    const wait = (this.#next.get(server) ?? 0) - performance.now();
    if (wait > 0) throw restartedRecently(name, wait);
    checkUnused(name, others());
    this.#next.set(server, Number.POSITIVE_INFINITY);
    let pause = 0;
    try {
      await record();
      // A call of another user may have begun while the row was written.
      checkUnused(name, others());
      pause = others().length > 0 ? PAUSE.shared : PAUSE.own;
      await restart();
    } finally {
      this.#next.set(server, performance.now() + pause);
    }
  }
}

function checkUnused(name: string, others: readonly number[]): void {
  if (others.every((running) => running === 0)) return;
  throw new GatewayError(
    "server-in-use",
    `calls of other users are running in "${name}", which all users share: restart it when they have ended, or ask the operator`,
  );
}

/** The time is unknown while a restart is running. */
function restartedRecently(name: string, wait: number): Refusal {
  const seconds = Number.isFinite(wait) ? Math.ceil(wait / 1000) : 1;
  const message = `"${name}" was restarted a moment ago: try again in ${seconds} s`;
  return new Refusal("rate-limited", message, { retryAfter: seconds * 1000 });
}
