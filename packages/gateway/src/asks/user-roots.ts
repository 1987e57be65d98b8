/**
 * The roots that servers are told of: those of the operator's settings, or of a user's page.
 *
 * @module
 */
import type { Root } from "@vitrine/servers";
import type { ServerKey } from "../store/known-servers.js";

/** Where the roots of a server come from. */
interface OfferedRoots {
  readonly roots: readonly Root[];
  readonly from?: "settings" | "page" | undefined;
}

/** Limits: roots of a server, and characters of an address or a name. */
const MOST = 100;
const LONGEST = 4000;

/** Holds what users set in their pages, for as long as the gateway runs. It takes precedence over the settings. */
export class UserRoots {
  readonly #settings: (server: string) => readonly Root[] | undefined;
  readonly #set = new Map<string, readonly Root[]>();

  /** @param settings the roots in the operator's settings, by the server's name */
  constructor(settings: (server: string) => readonly Root[] | undefined) {
    this.#settings = settings;
  }

  of(user: string, server: ServerKey): OfferedRoots {
    const own = this.#set.get(keyOf(user, server));
    if (own) return { roots: own, from: "page" };
    const roots = this.#settings(server.name) ?? [];
    return roots.length > 0 ? { roots, from: "settings" } : { roots };
  }

  /** Sets a user's roots of a server. An empty list takes back what was set. */
  set(user: string, server: ServerKey, roots: readonly Root[]): void {
    if (roots.length > 0) this.#set.set(keyOf(user, server), roots);
    else this.#set.delete(keyOf(user, server));
  }
}

/** Why these roots cannot be offered; undefined if they can. */
export function problemOf(roots: readonly Root[]): string | undefined {
  if (roots.length > MOST) return `a server can have at most ${MOST} roots`;
  const wrong = roots.find(({ uri, name = "" }) => !URL.canParse(uri) || uri.length + name.length > LONGEST);
  return wrong && `"${wrong.uri.slice(0, 100)}" is not an address such as file:///home/ann/project`;
}

/** A server of another identity never gets the roots that were meant for this one. */
const keyOf = (user: string, { identity }: ServerKey): string => JSON.stringify([user, identity]);
