/**
 * Where browser tests run: Node, in a worker that many files share one after another. What they keep open for each other
 * is closed when the worker ends; no file is told that it is the last.
 */
import { builtinEnvironments, type Environment } from "vitest/runtime";

/** Where {@link atEndOfWorker} keeps its work: this module is loaded twice, for the worker and for its files. */
const WORK = Symbol.for("vitrine: at the end of the worker");
const place = globalThis as { [WORK]?: (() => Promise<void>)[] };

/** Has something done when the worker ends. */
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
