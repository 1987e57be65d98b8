/**
 * The interface between ownership and the path between nodes: who has a user's state now.
 *
 * @module
 */

import type { Location, NodeRef } from "../store/owned-users.js";

export type { Location, NodeRef };

/** Finds the node that has a user's state. */
export interface UserRouting {
  readonly self: NodeRef;
  /**
   * Claims the user's shard if no live node has it. Rejects with a `GatewayError` that can be retried if
   * nobody can own it right now.
   */
  locate(user: string): Promise<Location>;
  /** Whether this node may act for the user now. */
  holds(user: string): boolean;
  /** Called when the other node refused or could not be reached: the next lookup must be fresh. */
  forget(user: string, node: NodeRef): void;
}
