/**
 * The differences between kinds of actions in the guard: tools of apps, sampling, elicitation, permissions.
 *
 * @module
 */
import type { Question } from "@vitrine/guard";

/**
 * The checks of an action beyond a call to a server's tool. The guard decides, asks, remembers and records in
 * the same way for all of them.
 */
export interface OwnChecks {
  /**
   * The question for the policy and the user. Without it, the call is one of a view, and passes the links,
   * which describe it.
   */
  readonly question?: Question | undefined;
  /** Checks the action before the user is asked, and waits for its turn. Throws to refuse it. */
  check?(question: Question): void | Promise<void>;
  /** Checks just before the effect that nothing changed while the user was thinking. Throws to refuse it. */
  checkAgain?(): void;
  /**
   * Asks the user with a form of its own, whose answer is for this time only. Resolves to whether the user
   * agrees. The signal aborts when the question is obsolete.
   */
  ask?(signal: AbortSignal): Promise<boolean>;
}
