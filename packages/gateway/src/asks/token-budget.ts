/**
 * Limits the tokens that may be used per hour.
 *
 * @module
 */

const HOUR = 3_600_000;

/** Counts tokens by name over the last hour. */
export class TokenBudget {
  readonly #most: number;
  readonly #clock: () => number;
  readonly #spent = new Map<string, { at: number; tokens: number }[]>();

  constructor(most: number, clock: () => number) {
    this.#most = most;
    this.#clock = clock;
  }

  /** Tokens left. */
  left(name: string): number {
    const used = this.#recent(name).reduce((sum, { tokens }) => sum + tokens, 0);
    return Math.max(0, this.#most - used);
  }

  /** Reserves tokens. The returned function sets the actual number. */
  spend(name: string, tokens: number): (tokens: number) => void {
    const recent = this.#recent(name);
    const spent = { at: this.#clock(), tokens };
    recent.push(spent);
    this.#spent.set(name, recent);
    return (used) => {
      spent.tokens = used;
    };
  }

  /** Milliseconds until some tokens are available again. */
  wait(name: string): number {
    const [oldest] = this.#recent(name);
    return oldest ? Math.max(1, Math.ceil(oldest.at + HOUR - this.#clock())) : 0;
  }

  #recent(name: string): { at: number; tokens: number }[] {
    const since = this.#clock() - HOUR;
    const recent = (this.#spent.get(name) ?? []).filter(({ at }) => at > since);
    if (recent.length === 0) this.#spent.delete(name);
    return recent;
  }
}
