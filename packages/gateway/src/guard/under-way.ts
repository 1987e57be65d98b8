/**
 * How much of a view may be on its way through the guard.
 *
 * @module
 */
import { type Link, Refusal } from "@vitrine/guard";

/**
 * Refuses what is beyond so many calls of one view at a time, whatever they wait for: a person, a turn, the record,
 * the server. Turns are taken later, behind the policy, so that a call that waits for a person keeps no other waiting.
 */
export function limitUnderWay(most: number): Link {
  const counts = new Map<string, number>();
  return async (call, next) => {
    const count = counts.get(call.view) ?? 0;
    if (count >= most) {
      throw new Refusal("rate-limited", "too much is under way: wait for an answer, then try again");
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
