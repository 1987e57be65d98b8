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
  /** Calls that a guard has, begun or not. */
  entered: number;
  /** Whether guards refuse calls, because the user moves to another node. */
  isMoving: boolean;
}

/** For a user without calls. */
export const nothingBegun = (): Begun => ({ count: 0, entered: 0, isMoving: false });

/** The begun calls of all users. */
export class BegunCalls {
  readonly #users = new Map<string, Begun>();

  /** The counter of a user. Guards keep it, so that counting costs no look-up. */
  of(user: string): Begun {
    let begun = this.#users.get(user);
    if (!begun) this.#users.set(user, (begun = nothingBegun()));
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
