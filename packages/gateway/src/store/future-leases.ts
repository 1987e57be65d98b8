/**
 * Leases that end later than any renewal can have set: the database's clock was set back, or somebody edited the table.
 * Nobody could take over the users of such a node, if it is gone.
 *
 * @module
 */
import type { Kysely } from "kysely";
import { LEASE, RENEWAL } from "./membership.js";
import type { StoredNode, Tables } from "./schema.js";

/** A lease as a node saw it. */
type SeenLease = Pick<StoredNode, "slot" | "fence" | "expiresAt">;

/** Notices leases in the future that nobody renews. */
export class FutureLeases {
  readonly #clock: () => number;
  /** When this node saw a lease first, by its monotonic clock. */
  #seen = new Map<string, number>();

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /**
   * The leases that are over. A node believes its own lease for {@link LEASE} after its last renewal: when nothing has changed
   * for longer, it does not act any more, whatever the table says.
   */
  overdue(nodes: readonly StoredNode[], now: number): SeenLease[] {
    const future = nodes.filter(({ expiresAt }) => expiresAt > now + LEASE);
    const at = this.#clock();
    const seen = new Map<string, number>();
    const keyOf = ({ slot, fence, expiresAt }: SeenLease): string => `${slot}.${fence}.${expiresAt}`;
    for (const lease of future) seen.set(keyOf(lease), this.#seen.get(keyOf(lease)) ?? at);
    this.#seen = seen;
    return future.filter((lease) => at - (seen.get(keyOf(lease)) ?? at) > LEASE + RENEWAL);
  }
}

/** Lets an overdue lease end now, if it was not renewed meanwhile. */
export async function endOverdue(db: Kysely<Tables>, { slot, fence, expiresAt }: SeenLease): Promise<void> {
  await db
    .updateTable("vitrine_nodes")
    .set({ expiresAt: 0 })
    .where("slot", "=", slot)
    .where("fence", "=", fence)
    .where("expiresAt", "=", expiresAt)
    .execute();
}
