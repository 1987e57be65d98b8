/**
 * A node's duties towards the others: it stops serving users whom another node has, and hands its users over before it
 * stops.
 *
 * @module
 */
import type { GatewayParts } from "./parts.js";
import { usersOf } from "./users-of-shards.js";

/** Shards that are handed over at the same time: their pages do not all reach the other nodes at once. */
const AT_ONCE = 16;

/** Follows the users of this node. Does nothing for a gateway alone. */
export function followUsers(parts: GatewayParts): void {
  const { counts, disk, drain, log, oauth, options } = parts;
  const { nodes } = disk.store;
  if (!nodes) return;
  nodes.onTaken((shard, from) => {
    counts.shardsTaken.add({ from });
    // Another node may have changed their tokens.
    for (const user of usersOf(parts, [shard])) oauth.reload(user);
  });
  nodes.onMoved((shards) => {
    counts.shardsLeft.add({ why: "taken" }, shards.size);
    for (const user of usersOf(parts, shards)) {
      drain
        .user(user, 0)
        .catch((error: unknown) => log.error({ err: error, user }, "a user was not handed over completely"))
        .finally(() => drain.accept(user));
    }
  });
  nodes.onLapsed(() => {
    log.warn("the lease of this node could not be renewed in time: other nodes may take its users now");
    // Pages that wait for an answer get it elsewhere. The others notice nothing if the lease is renewed soon.
    for (const user of parts.registry.users)
      if (parts.servers.begun.of(user).entered > 0) parts.registry.dismiss(user);
  });
  nodes.onFailed((error) => log.error({ err: error }, "the lease of this node"));
  nodes.onLost(() => {
    log.error("another node took over the users of this one, because it did not reach the database in time");
    options.onlost?.();
  });
}

/**
 * Hands all users over, a few at a time. Their pages reconnect, and the node that they reach takes them.
 *
 * @param left milliseconds that calls may still take
 */
export async function handOverUsers(parts: GatewayParts, left: () => number): Promise<void> {
  const { nodes } = parts.disk.store;
  // Without another node, nobody could serve them.
  if (!nodes?.nodes.some(({ id }) => id !== nodes.self.id)) return;
  const shards = [...(await nodes.drain())];
  parts.log.info({ shards: shards.length }, "handing users over to other nodes");
  const worker = async (): Promise<void> => {
    for (let shard = shards.pop(); shard !== undefined; shard = shards.pop()) {
      const users = usersOf(parts, [shard]);
      await Promise.all(users.map((user) => parts.drain.user(user, left())));
      await nodes.release([shard]);
      parts.counts.shardsLeft.add({ why: "stopping" });
      // From now on, their requests are forwarded.
      for (const user of users) parts.drain.accept(user);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
