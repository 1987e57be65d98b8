/**
 * The users of a gateway by shard.
 *
 * @module
 */
import type { UserSettings } from "../config/config.js";
import { shardOf } from "../store/shards.js";
import type { GatewayParts } from "./parts.js";

/** Hashing 100,000 names takes a tenth of a second, and a hand-over asks for each of 256 shards. */
const known = new WeakMap<readonly UserSettings[], ReadonlyMap<number, readonly string[]>>();

/** The names of the users in shards. */
export function usersOf(
  { settings }: Pick<GatewayParts, "settings">,
  shards: Iterable<number>,
): readonly string[] {
  const { users } = settings.listen;
  const byShard = known.get(users) ?? group(users);
  known.set(users, byShard);
  return [...shards].flatMap((shard) => byShard.get(shard) ?? []);
}

function group(users: readonly UserSettings[]): Map<number, string[]> {
  const byShard = new Map<number, string[]>();
  for (const { name } of users) {
    const shard = shardOf(name);
    const others = byShard.get(shard);
    if (others) others.push(name);
    else byShard.set(shard, [name]);
  }
  return byShard;
}
