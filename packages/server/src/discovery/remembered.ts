/**
 * What was read of each folder: read again when the folder has changed, and as it was before when it is broken now.
 *
 * @module
 */
import { type DiscoveryProblem, problemFrom } from "./problem.js";

interface Kept<T> {
  readonly mark: string;
  /** The last that was good. */
  readonly value: T | undefined;
  readonly problem: DiscoveryProblem | undefined;
}

/** One for tools, one for views. */
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

  /** Forgets folders that are gone. */
  keepOnly(folders: ReadonlySet<string>): void {
    for (const folder of this.#kept.keys()) if (!folders.has(folder)) this.#kept.delete(folder);
  }
}
