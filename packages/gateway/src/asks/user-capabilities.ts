/**
 * The capabilities that a user has chosen not to declare to a server, to see how it behaves without them.
 *
 * @module
 */
import { METHOD_NOT_FOUND, recordOf, VitrineError } from "@vitrine/protocol";
import type { AskCapabilities, ServerAsks } from "@vitrine/servers";
import type { ClientCapability } from "@vitrine/wire";
import type { ServerKey } from "../store/known-servers.js";

/** The names of all capabilities that a user can leave out. */
export const CLIENT_CAPABILITIES: readonly ClientCapability[] = [
  "sampling",
  "elicitation.form",
  "elicitation.url",
  "roots",
  "ui",
];

type Hidden = ReadonlySet<ClientCapability>;

const NOTHING: Hidden = new Set();

/** Holds what users choose in their pages, for as long as the gateway runs. */
export class UserCapabilities {
  readonly #hidden = new Map<string, Hidden>();

  hidden(user: string, server: ServerKey): Hidden {
    return this.#hidden.get(keyOf(user, server)) ?? NOTHING;
  }

  /** Sets the capabilities that are not declared. */
  hide(user: string, server: ServerKey, hidden: readonly ClientCapability[]): void {
    if (hidden.length > 0) this.#hidden.set(keyOf(user, server), new Set(hidden));
    else this.#hidden.delete(keyOf(user, server));
  }
}

const keyOf = (user: string, { identity }: ServerKey): string => JSON.stringify([user, identity]);

/** The names of the capabilities that are declared. */
export function namesOf({ sampling, elicitation, roots, extensions }: AskCapabilities): ClientCapability[] {
  const declared: Record<ClientCapability, boolean> = {
    sampling: sampling !== undefined,
    "elicitation.form": elicitation?.form !== undefined,
    "elicitation.url": elicitation?.url !== undefined,
    roots: roots !== undefined,
    // Declared unless left out.
    ui: extensions === undefined,
  };
  return CLIENT_CAPABILITIES.filter((name) => declared[name]);
}

/** Answers the requests of a server without the hidden capabilities. Requests that need them are refused. */
export function withoutHidden(asks: ServerAsks, hidden: () => Hidden): ServerAsks {
  const check = (capability: ClientCapability): void => {
    if (!hidden().has(capability)) return;
    throw new VitrineError(METHOD_NOT_FOUND, `the client does not declare the capability ${capability}`);
  };
  const { sample, elicit, roots } = asks;
  return {
    capabilities: () => declaredWithout(asks.capabilities(), hidden()),
    sample:
      sample &&
      (async (params, signal) => {
        check("sampling");
        return sample(params, signal);
      }),
    elicit:
      elicit &&
      (async (params, signal) => {
        check(recordOf(params)["mode"] === "url" ? "elicitation.url" : "elicitation.form");
        return elicit(params, signal);
      }),
    roots:
      roots &&
      (() => {
        check("roots");
        return roots();
      }),
    completed: (elicitationId) => asks.completed?.(elicitationId),
  };
}

function declaredWithout({ sampling, elicitation, roots }: AskCapabilities, hidden: Hidden): AskCapabilities {
  const { form, url } = elicitation ?? {};
  const modes = {
    ...(form && !hidden.has("elicitation.form") && { form }),
    ...(url && !hidden.has("elicitation.url") && { url }),
  };
  return {
    ...(sampling && !hidden.has("sampling") && { sampling }),
    ...(Object.keys(modes).length > 0 && { elicitation: modes }),
    ...(roots && !hidden.has("roots") && { roots }),
    ...(hidden.has("ui") && { extensions: {} }),
  };
}
