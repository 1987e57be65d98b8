/**
 * The processor time of a process: on a busy machine it is more reliable than the time until an answer.
 *
 * @module
 */
import { readdirSync, readFileSync } from "node:fs";

/** Milliseconds of all its threads; undefined where the system does not report them. */
export function processorTime(pid) {
  try {
    const nanoseconds = readdirSync(`/proc/${pid}/task`).map((thread) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
    );
    return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
  } catch {
    return undefined;
  }
}
