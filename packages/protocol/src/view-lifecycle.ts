/**
 * The lifecycle of a view, seen from the view itself. Pure, like the host's in `lifecycle.ts`.
 *
 * @module
 */
import { VitrineError } from "./errors.js";

/** Whether a message belongs to the tool call that the view shows. */
export const isToolData = (method: string): boolean => method.includes("/tool-");

/** State of a view, seen from the view itself. */
export type ViewPhase = "idle" | "connecting" | "ready" | "closed";

/**
 * The view's side of its lifecycle: when it may connect, and which messages a late listener must still
 * receive. Some hosts send messages out of order; a view accepts them.
 *
 * @example
 * ```ts source="./protocol.examples.ts#viewLifecycle"
 * const life = new ViewLifecycle();
 * life.enter("connecting");
 * life.keep("ui/notifications/tool-input", { arguments: { city: "Rome" } });
 * life.enter("ready");
 * // For a listener that was added late:
 * const input = life.kept.get("ui/notifications/tool-input");
 * ```
 */
export class ViewLifecycle {
  /** The current phase; only {@link enter} changes it. */
  phase: ViewPhase = "idle";
  /** Messages for late listeners: the last params of each method, in the order of arrival. */
  readonly kept = new Map<string, unknown>();

  /**
   * Enters a phase.
   *
   * @throws {VitrineError} `out-of-order` for a second `connecting` without a close in between
   */
  enter(phase: ViewPhase): void {
    if (phase === "connecting") {
      if (!/idle|closed/.test(this.phase)) throw new VitrineError("out-of-order", "already connected");
      this.kept.clear();
    }
    this.phase = phase;
  }

  /** Keeps a message about the tool call. Partial input is dropped once the complete input has arrived. */
  keep(method: string, params: unknown): void {
    this.kept.delete(`${method}-partial`);
    if (isToolData(method)) this.kept.set(method, params);
  }
}
