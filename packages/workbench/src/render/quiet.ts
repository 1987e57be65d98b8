/**
 * Waiting until something is so, and whether an app has come to rest.
 *
 * @module
 */
import type { AppModel } from "../model/app/app-model.js";

/** Milliseconds without a message after which an app has nothing more to say for now. */
const QUIET = 300;
/** The same of one that has not said how high it is: it may not have drawn anything yet. */
const QUIET_UNSIZED = 1000;
/** Milliseconds between two looks. */
const LOOK = 50;

/** Resolves when it is so, or at the deadline, which `performance.now()` reaches. */
export async function until(isSo: () => boolean, deadline: number): Promise<void> {
  while (!isSo() && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, LOOK));
}

/** No request of the app's waits for an answer, and nothing was said for a while. */
export function isQuiet({ log, size }: Pick<AppModel, "log" | "size">): boolean {
  const last = log.messages.at(-1)?.at ?? 0;
  if (log.now - last < (size ? QUIET : QUIET_UNSIZED)) return false;
  const open = new Set<unknown>();
  for (const { direction, kind, id } of log.messages) {
    if (direction === "in" && kind === "request") open.add(id);
    else if (direction === "out" && (kind === "result" || kind === "error")) open.delete(id);
  }
  return open.size === 0;
}
