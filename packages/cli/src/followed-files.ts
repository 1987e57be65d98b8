/**
 * Files that servers watch themselves: a change of them needs no restart.
 *
 * @module
 */
import { sep } from "node:path";
import { followedPaths } from "@vitrine/protocol";
import type { ServerStatus } from "@vitrine/servers";

/** The watched files, as announced by each server. */
export class FollowedFiles {
  readonly #paths = new Map<string, readonly string[]>();

  /** A stopped server watches nothing. */
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

/** Whether a path equals another one, or is inside it. */
const isInside = (names: readonly string[], path: readonly string[]): boolean =>
  path.length <= names.length && path.every((name, at) => name === "*" || name === names[at]);
