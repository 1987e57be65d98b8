/**
 * Events of a bridge.
 *
 * @module
 */
import type { Cause, Params, VitrineError } from "@vitrine/protocol";

/** A view's description of itself. */
export type AppDetails = Params<"ui/initialize">;

/** A message on the channel. */
export interface Traffic {
  direction: "in" | "out";
  /** The message itself, not a copy: read or keep it, but do not change it. It may contain a `JsonText`. */
  message: unknown;
}

/** Params of a `Bridge`'s events. */
export interface BridgeEvents {
  /** The view is ready, and again after each remount. */
  ready: AppDetails;
  /** The view failed: show the text of the result, and the cause. */
  failed: Cause;
  /** The view ended, for any reason. */
  closed: undefined;
  /** The view logs something. */
  log: Params<"notifications/message">;
  /** The view's content size changed. */
  size: Params<"ui/notifications/size-changed">;
  /** The view asks to be removed: call `teardown` to agree. */
  "teardown-requested": object;
  /** The view's tools changed. */
  "tools-changed": object;
  /** A problem that was survived. It never contains a payload. */
  report: VitrineError;
  /** Every message, for an inspector. */
  traffic: Traffic;
}
