/**
 * Everything that a user can change about how the gateway presents itself to a server: capabilities and roots.
 *
 * @module
 */
import type { AskCapabilities, Server } from "@vitrine/servers";
import type { DeclaredCapabilities, InspectionRequests, ServerRoots } from "@vitrine/wire";
import { namesOf, type UserCapabilities, type UserRoots } from "../asks/index.js";
import type { GuardedServer } from "../guard/guarded-servers.js";

/** Options of {@link DeclaredToServer}. */
export interface DeclaredToServerOptions {
  readonly user: string;
  /** The capabilities that users leave out. */
  readonly capabilities: UserCapabilities;
  /** The roots of users' servers. */
  readonly roots: UserRoots;
  /** The capabilities that could be declared to a server. */
  declarable(guard: GuardedServer["guard"]): AskCapabilities;
  isShared(server: string): boolean;
}

/** Reads and changes the declarations of one user. */
export class DeclaredToServer {
  readonly #options: DeclaredToServerOptions;

  constructor(options: DeclaredToServerOptions) {
    this.#options = options;
  }

  capabilities(
    { server, guard }: GuardedServer,
    wanted: InspectionRequests["gateway/capabilities"]["params"]["hidden"],
  ): DeclaredCapabilities {
    const { user, capabilities, declarable, isShared } = this.#options;
    const before = capabilities.hidden(user, server.settings);
    if (wanted) capabilities.hide(user, server.settings, wanted);
    const hidden = [...capabilities.hidden(user, server.settings)];
    const available = isShared(server.settings.name) ? namesOf({}) : namesOf(declarable(guard));
    const isChanged = hidden.length !== before.size || hidden.some((name) => !before.has(name));
    return { available, hidden, needsRestart: isChanged && !isTold(server) };
  }

  async roots(
    server: Server,
    wanted: InspectionRequests["gateway/roots"]["params"]["roots"],
  ): Promise<ServerRoots> {
    const { user, roots: known } = this.#options;
    const hadAny = known.of(user, server.settings).roots.length > 0;
    if (wanted) {
      known.set(user, server.settings, wanted);
      // A server that was told of roots asks for them again.
      if (hadAny) await server.rootsChanged();
    }
    const { roots, from } = known.of(user, server.settings);
    return {
      roots: roots.map((root) => ({ ...root })),
      ...(from && { from }),
      needsRestart: wanted !== undefined && !isTold(server) && hadAny !== roots.length > 0,
    };
  }
}

/**
 * Whether the running server has been told already: revision 2026-07-28 declares capabilities with every request, earlier
 * ones only in the handshake.
 */
function isTold({ status: { state, protocolVersion = "" } }: Server): boolean {
  return state !== "ready" || protocolVersion >= "2026-07-28";
}
