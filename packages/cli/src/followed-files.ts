/**
 * Files that servers follow themselves: a change of theirs is no reason to start the server again.
 *
 * @module
 */
import { sep } from "node:path";
import { followedPaths } from "@vitrine/protocol";
import type { ServerStatus } from "@vitrine/servers";

/** What servers said of it when they were started. */
export class FollowedFiles {
  readonly #paths = new Map<string, readonly string[]>();

  /** One that is not there follows nothing. */
  learn({
    name,
    state,
    capabilities,
  }: Pick<ServerStatus, "name" | "state"> & { capabilities: unknown }): void {
    this.#paths.set(name, state === "ready" ? followedPaths(capabilities) : []);
  }

  has(server: string, file: string): boolean {
    const names = file.split(sep);
    return (this.#paths.get(server) ?? []).some((path) => isInside(names, path.split(sep)));
  }
}

/** Whether a path is another one, or in it. */
const isInside = (names: readonly string[], path: readonly string[]): boolean =>
  path.length <= names.length && path.every((name, at) => name === "*" || name === names[at]);
