/**
 * Counts the pending calls of a server, and waits for their end.
 *
 * @module
 */
import type { ServerConnection } from "./connection.js";
import type { Clock } from "./support/clock.js";

/** The pending calls of a server, on all its connections: a replaced one closes after the last of its calls. */
export class PendingCalls {
  readonly #clock: Clock;
  readonly #counts = new Map<ServerConnection, number>();
  #size = 0;
  /** Ends the wait for pending calls; set during that wait. */
  #endWait: (() => void) | undefined;
  /** Cancel the time limits of that wait. */
  readonly #limits: (() => void)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#size;
  }

  /** The connections with pending calls. */
  get connections(): ServerConnection[] {
    return [...this.#counts.keys()];
  }

  has(connection: ServerConnection): boolean {
    return this.#counts.has(connection);
  }

  begin(connection: ServerConnection): void {
    this.#size++;
    this.#counts.set(connection, (this.#counts.get(connection) ?? 0) + 1);
  }

  end(connection: ServerConnection): void {
    const left = (this.#counts.get(connection) ?? 1) - 1;
    if (left > 0) this.#counts.set(connection, left);
    else this.#counts.delete(connection);
    if (--this.#size === 0) this.#endWait?.();
  }

  /** Resolves when no call is pending, or when a time limit of the wait has passed. */
  async ended(): Promise<void> {
    if (this.#size === 0) return;
    await new Promise<void>((resolve) => {
      this.#endWait = resolve;
    });
    this.#endWait = undefined;
    for (const cancel of this.#limits) cancel();
  }

  /** Limits the current wait, if there is one, to some milliseconds from now. */
  limitWait(milliseconds: number): void {
    if (!this.#endWait || !Number.isFinite(milliseconds)) return;
    this.#limits.push(this.#clock.after(milliseconds, this.#endWait));
  }
}
