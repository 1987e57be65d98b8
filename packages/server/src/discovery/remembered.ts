/**
 * Caches the value of each folder. It is read again when the folder changes; a broken folder keeps its last
 * good value.
 *
 * @module
 */
import { type DiscoveryProblem, problemFrom } from "./problem.js";

interface Kept<T> {
  readonly mark: string;
  /** The last good value. */
  readonly value: T | undefined;
  readonly problem: DiscoveryProblem | undefined;
}

/** A cache for tools or for views. */
export class Remembered<T> {
  readonly #kept = new Map<string, Kept<T>>();

  /** @param mark changes with the folder */
  async read(
    folder: string,
    mark: string,
    make: () => Promise<T>,
  ): Promise<Pick<Kept<T>, "value" | "problem">> {
    const before = this.#kept.get(folder);
    if (before?.mark === mark) return before;
    const after = await make().then(
      (value) => ({ mark, value, problem: undefined }),
      (error: unknown) => ({ mark, value: before?.value, problem: problemFrom(error, folder) }),
    );
    this.#kept.set(folder, after);
    return after;
  }

  /** Drops folders that no longer exist. */
  keepOnly(folders: ReadonlySet<string>): void {
    for (const folder of this.#kept.keys()) if (!folders.has(folder)) this.#kept.delete(folder);
  }
}
