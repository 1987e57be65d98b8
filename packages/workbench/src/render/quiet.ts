/**
 * Waits for a condition, and detects an idle app.
 *
 * @module
 */
import type { AppModel } from "../model/app/app-model.js";

/** Milliseconds without a message after which an app is idle. */
const QUIET = 300;
/** The same for an app that has not reported its height: it may not have drawn yet. */
const QUIET_UNSIZED = 1000;
/** Milliseconds between polls. */
const LOOK = 50;

/** Resolves when the condition is true, or at the deadline (in `performance.now()` time). */
export async function until(isSo: () => boolean, deadline: number): Promise<void> {
  while (!isSo() && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, LOOK));
}

/** Whether the app has no pending request and has been silent for a while. */
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
