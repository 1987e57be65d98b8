/**
 * Turns of users at a server that they share.
 *
 * @module
 */
import { CONCURRENCY_LIMITS, type Link, limitConcurrency } from "@vitrine/guard";
import type { ServerSettings } from "@vitrine/servers";

/**
 * Limits the calls that run in a shared server, of all users together, to its `limits.concurrency.total`. Users take turns, and
 * one user has three quarters of the places at most: otherwise long calls of one user could keep all of them. Returns the link for a user.
 */
export function userTurns({ limits }: Pick<ServerSettings, "limits">): (user: string) => Link {
  const { total } = { ...CONCURRENCY_LIMITS, ...limits.concurrency };
  const perView = Math.max(1, Math.floor((total * 3) / 4));
  // The guard of each user limits how many of their calls wait.
  const turns = limitConcurrency({ perView, total, waiting: Number.POSITIVE_INFINITY });
  return (user) => (call, next) => turns({ ...call, view: user }, () => next(call));
}
