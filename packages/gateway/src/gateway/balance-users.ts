/**
 * Hands users over to nodes that have fewer, for example to one that has just joined.
 *
 * @module
 */
import type { OwnedUsers, Uneven } from "../store/owned-users.js";
import type { GatewayParts } from "./parts.js";
import { usersOf } from "./users-of-shards.js";

/** Keeps the shares of the nodes even. Does nothing for a gateway alone. */
export function balanceUsers(parts: GatewayParts): void {
  const { nodes } = parts.disk.store;
  let isMoving = false;
  let logged = "";
  /** Once for each reason: the next attempt follows in a second. */
  const failed = (error: unknown): void => {
    if (String(error) !== logged)
      parts.log.error({ err: error }, "users could not be handed over: they stay here");
    logged = String(error);
  };
  nodes?.onUneven((uneven) => {
    if (isMoving || parts.drain.isDraining) return;
    isMoving = true;
    move(parts, nodes, uneven)
      .catch(failed)
      .finally(() => {
        isMoving = false;
      });
  });
}

async function move(parts: GatewayParts, nodes: OwnedUsers, { to, count }: Uneven): Promise<void> {
  const { counts, drain, log, settings } = parts;
  // Users at a node that this one cannot reach would be cut off.
  await parts.connectNode?.(to);
  // The others have their turn when they are idle.
  const idle = nodes.owned.filter((shard) => usersOf(parts, [shard]).every((user) => drain.isIdle(user)));
  const shards = idle.slice(0, count);
  if (shards.length === 0) return;
  const users = usersOf(parts, shards);
  try {
    await Promise.all(users.map((user) => drain.idleUser(user, settings.drain.time)));
    if (!(await nodes.give(shards, to))) return;
    counts.shardsLeft.add({ why: "balance" }, shards.length);
    log.info(
      { shards: shards.length, node: to.id, address: to.address },
      "handed users over to a node that has fewer",
    );
  } finally {
    // Their requests are forwarded, or served here if the other node could not take them.
    for (const user of users) drain.accept(user);
  }
}
