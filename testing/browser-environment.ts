/**
 * The Vitest environment of browser tests: Node, in a worker that many files share one after another.
 * Resources that files share are closed when the worker ends, because no file knows that it is the last.
 */
import { builtinEnvironments, type Environment } from "vitest/runtime";

/**
 * Holds the callbacks of {@link atEndOfWorker}. This module is loaded twice: for the worker and for its
 * files.
 */
const WORK = Symbol.for("vitrine: at the end of the worker");
const place = globalThis as { [WORK]?: (() => Promise<void>)[] };

/** Registers a callback for the end of the worker. */
export function atEndOfWorker(work: () => Promise<void>): void {
  if (!place[WORK]) throw new Error("this worker is not of the project `browser`: nobody tells when it ends");
  place[WORK].push(work);
}

const { node } = builtinEnvironments;

export default {
  ...node,
  name: "browser tests",
  async setup(global, options) {
    const { teardown } = await node.setup(global, options);
    const work: (() => Promise<void>)[] = [];
    place[WORK] = work;
    return {
      teardown: async (): Promise<void> => {
        await Promise.all(work.map((each) => each()));
        await teardown(global);
      },
    };
  },
} satisfies Environment;
