/**
 * The interface of the history of servers' names.
 *
 * @module
 */
import type { ServerIdentity } from "@vitrine/servers";

/** A server by name and identity. */
export interface ServerKey {
  readonly name: string;
  readonly identity: ServerIdentity;
}

/** A server took a name. */
export interface ServerChange extends ServerKey {
  /**
   * `replaced`: another server had the name before. `back`: so did this one, earlier, and its data is
   * available again. `inherited`: it is the first server of the name, and owns the name's data from before
   * identities existed.
   */
  readonly kind: "replaced" | "back" | "inherited";
}

/** A server took over a name, and users must be notified. */
export interface ServerNews extends ServerKey {
  readonly kind: Exclude<ServerChange["kind"], "inherited">;
}

/**
 * The history of servers' names. Data of a server is never given to another one of the same name. Rows from
 * before identities existed belong to the first server that is seen with their name, its heir.
 */
export interface KnownServers {
  /**
   * Records the current servers. Resolves, when that is on disk, with those that took over a name or
   * inherited its data.
   */
  take(servers: Iterable<ServerKey>): Promise<ServerChange[]>;
  /** Reads the names again: another node may have changed them. */
  reload?(): Promise<void>;
  /** Resolves when everything is on disk. Retries failed writes, and rejects if that fails again. */
  settled(): Promise<void>;
  /** Called with changes that {@link take} could not write, but {@link settled} did. */
  onlate: (changes: readonly ServerChange[]) => void;
  /** Whether rows of this name without an identity belong to this server. */
  isHeir(server: ServerKey): boolean;
  /** Servers that took over a name without a user being notified, in this process or an earlier one. */
  unannounced(): ServerNews[];
  /** Records that a user was notified. */
  announced(server: ServerKey): Promise<void>;
}
