/**
 * Limits the concurrent calls of a view in the guard.
 *
 * @module
 */
import { type Link, Refusal } from "@vitrine/guard";

/**
 * Refuses calls beyond a number of concurrent calls per view, whatever they wait for: the user, a turn, the
 * record, the server. Turns come later, after the policy, so that a call that waits for the user does not
 * block others.
 */
export function limitUnderWay(most: number): Link {
  const counts = new Map<string, number>();
  return async (call, next) => {
    const count = counts.get(call.view) ?? 0;
    if (count >= most) {
      throw new Refusal("rate-limited", "too many calls are pending: wait for an answer, then try again");
    }
    counts.set(call.view, count + 1);
    try {
      return await next(call);
    } finally {
      const left = (counts.get(call.view) ?? 1) - 1;
      if (left > 0) counts.set(call.view, left);
      else counts.delete(call.view);
    }
  };
}
