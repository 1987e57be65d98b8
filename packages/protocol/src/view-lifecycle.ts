/**
 * The lifecycle of a view (part L), seen by the view itself. Pure, as the host's is in `lifecycle.ts`.
 *
 * @module
 */
import { VitrineError } from "./errors.js";

/** Whether a message is about the tool call that the view shows. */
export const isToolData = (method: string): boolean => method.includes("/tool-");

/** Where a view is in its own life. */
export type ViewPhase = "idle" | "connecting" | "ready" | "closed";

/**
 * The view's own end of its life: when it may connect, and what arrived that a late listener must still
 * hear. Hosts in the wild send out of order; a view takes what it gets.
 *
 * @example
 * ```ts source="./protocol.examples.ts#viewLifecycle"
 * const life = new ViewLifecycle();
 * life.enter("connecting");
 * life.keep("ui/notifications/tool-input", { arguments: { city: "Rome" } });
 * life.enter("ready");
 * // A listener that comes late still hears it:
 * const input = life.kept.get("ui/notifications/tool-input");
 * ```
 */
export class ViewLifecycle {
  /** Where it is; only {@link enter} moves it. */
  phase: ViewPhase = "idle";
  /** What a late listener must still hear: the last params of each method, in the order they came. */
  readonly kept = new Map<string, unknown>();

  /**
   * Moves on.
   *
   * @throws {VitrineError} `out-of-order` for a second `connecting` without an end in between
   */
  enter(phase: ViewPhase): void {
    if (phase === "connecting") {
      if (!/idle|closed/.test(this.phase)) throw new VitrineError("out-of-order", "already connected");
      this.kept.clear();
    }
    this.phase = phase;
  }

  /** Keeps what the host said about the tool call. Partial input is worth nothing once the input is there. */
  keep(method: string, params: unknown): void {
    this.kept.delete(`${method}-partial`);
    if (isToolData(method)) this.kept.set(method, params);
  }
}
