/**
 * Nodes that were not reached, or refused. Whoever looks for a user there waits until the node renews its lease or loses it,
 * so that callers need not try again.
 *
 * @module
 */
import type { JoinedNode } from "./joined-node.js";
import { LEASE, RENEWAL } from "./membership.js";
import { unanswered } from "./unanswered.js";

/** Milliseconds between looks at a node, until its lease ends. */
const LOOK = 200;

/** The nodes that this one could not reach. */
export class DoubtfulNodes {
  readonly #member: Pick<JoinedNode, "nodeOf" | "ownerOf" | "refresh">;
  readonly #ids = new Set<string>();
  #looking: Promise<void> | undefined;

  constructor(member: Pick<JoinedNode, "nodeOf" | "ownerOf" | "refresh">) {
    this.#member = member;
  }

  /** The node with this id was not reached, or refused. */
  add(id: string): void {
    this.#ids.add(id);
  }

  /** Looks again at the owner of a user who was not reached, until it has changed or its lease was renewed. */
  async awaitOwner(user: string): Promise<void> {
    const member = this.#member;
    let lease: number | undefined;
    for (const endAt = performance.now() + LEASE + RENEWAL; performance.now() < endAt; ) {
      const known = member.ownerOf(user);
      const node = known && member.nodeOf(known);
      if (!node || !this.#ids.has(node.node)) return;
      await this.look();
      const after = member.nodeOf(node);
      // It has renewed its lease since it was doubted, or it has another user's place now: it is worth another attempt.
      if (lease !== undefined && after && after.expiresAt > lease) {
        this.#ids.delete(node.node);
        return;
      }
      lease ??= after?.expiresAt;
      await new Promise((resolve) => setTimeout(resolve, LOOK));
    }
  }

  /** Reads who has which users; once for all who ask at the same time. */
  look(): Promise<void> {
    return (this.#looking ??= this.#member
      .refresh()
      .catch((error: unknown) => {
        throw unanswered("no node can be found for these users", error);
      })
      .finally(() => {
        this.#looking = undefined;
      }));
  }
}
