/**
 * Runs an operation at the node that has a user's state, also while the state is moving.
 *
 * @module
 */
import { GatewayError } from "@vitrine/wire";
import type { NodeRef, UserRouting } from "../routing.js";
import { meansMoved, unreachable } from "./refusal.js";

/** Maximum number of nodes that are asked. */
const ATTEMPTS = 4;
/** Milliseconds before the second attempt at a node; doubles each time. */
const PAUSE = 50;

/**
 * Looks up the owner and runs the operation there. Repeats both only after an error that says that nothing
 * was done. Resolves with false if the owner is this node.
 *
 * @throws {GatewayError} `node-unreachable` if no owner could be reached, or the operation's error
 */
export async function tryOwners(
  routing: UserRouting,
  user: string,
  run: (node: NodeRef) => Promise<void>,
): Promise<boolean> {
  let failed: { node: NodeRef; error: GatewayError } | undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const location = await routing.locate(user);
    if (location.kind === "here") return false;
    const { node } = location;
    if (failed && isSame(node, failed.node)) {
      // A second attempt at a node that cannot be reached would only take as long again.
      if (failed.error.data.code === "node-unreachable") throw failed.error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE * 2 ** attempt));
    }
    try {
      await run(node);
      return true;
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      if (!meansMoved(error) && error.data.code !== "node-unreachable") throw error;
      routing.forget(user, node);
      failed = { node, error };
    }
  }
  throw unreachable("your sessions are moving between nodes: try again", failed?.error);
}

const isSame = (one: NodeRef, other: NodeRef): boolean =>
  one.id === other.id && one.address === other.address;
