/**
 * Opens the sessions of page sockets at the nodes that have them.
 *
 * @module
 */
import { GatewayError } from "@vitrine/wire";
import type { CarriedSession, SessionRegistry } from "../../sessions/registry.js";
import type { PageSocket } from "../../sessions/transports/socket-transport.js";
import type { SessionOpener } from "../../sessions/transports/websocket.js";
import type { NodeRef, UserRouting } from "../routing.js";
import { ForwardedSession } from "./forwarded-session.js";
import type { ForwardCounts } from "./node-links.js";
import type { NodePeer } from "./node-peer.js";
import { tryOwners } from "./try-owners.js";

/** Options of {@link SessionForwarder}. */
export interface SessionForwarderOptions {
  readonly routing: UserRouting;
  readonly registry: Pick<SessionRegistry, "open">;
  readonly peerOf: (node: NodeRef) => NodePeer;
  readonly counts: ForwardCounts;
  /** Called when a page's socket cannot be forwarded. */
  readonly onerror: (error: unknown) => void;
}

/** The sessions of this node and of all others. */
export class SessionForwarder implements SessionOpener {
  readonly #options: SessionForwarderOptions;

  constructor(options: SessionForwarderOptions) {
    this.#options = options;
  }

  open(hello: string, user: string, transport: PageSocket): CarriedSession | undefined {
    const { routing, registry, counts, onerror } = this.#options;
    if (routing.holds(user)) return registry.open(hello, user, transport);
    const session = new ForwardedSession(transport, counts.forwardedFrames);
    this.#forward(session, hello, user, transport).catch((error: unknown) => {
      onerror(error);
      counts.forwardFailures.add({ code: error instanceof GatewayError ? error.data.code : "internal" });
      // The page tries again, at the owner of that time.
      const message = error instanceof GatewayError ? error.message : "the session cannot be reached";
      session.end({ code: "overloaded", message });
    });
    return session;
  }

  async #forward(
    session: ForwardedSession,
    hello: string,
    user: string,
    transport: PageSocket,
  ): Promise<void> {
    const { routing, registry, peerOf, counts } = this.#options;
    const isThere = await tryOwners(routing, user, async (node) => {
      if (!session.isOver) await peerOf(node).open(session, user, hello);
    });
    if (isThere) counts.forwardedSessions.add();
    else if (!session.isOver) session.openedHere(registry.open(hello, user, transport));
  }
}
