/**
 * Counts the calls that have begun: their entry is being written or they run. A gateway that stops waits for
 * these. Calls that have not begun, because they wait for the user or their turn, lose nothing if they are
 * sent again elsewhere.
 *
 * @module
 */

/** The number of begun calls of a user. */
export interface Begun {
  count: number;
}

/** The begun calls of all users. */
export class BegunCalls {
  readonly #users = new Map<string, Begun>();

  /** The counter of a user. Guards keep it, so that counting costs no look-up. */
  of(user: string): Begun {
    let begun = this.#users.get(user);
    if (!begun) this.#users.set(user, (begun = { count: 0 }));
    return begun;
  }

  /** The begun calls of a user; without one, of all users. */
  count(user?: string): number {
    if (user !== undefined) return this.#users.get(user)?.count ?? 0;
    let count = 0;
    for (const begun of this.#users.values()) count += begun.count;
    return count;
  }
}
