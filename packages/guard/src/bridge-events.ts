/**
 * What a bridge says to its host.
 *
 * @module
 */
import type { Cause, Params, VitrineError } from "@vitrine/protocol";

/** What a view said of itself. */
export type AppDetails = Params<"ui/initialize">;

/** A message that crossed the channel. */
export interface Traffic {
  direction: "in" | "out";
  /** The message itself and no copy: read it, keep it, do not change it. A `JsonText` may stand in it. */
  message: unknown;
}

/** What a `Bridge` says, by event. */
export interface BridgeEvents {
  /** The view is ready, and again after each remount. */
  ready: AppDetails;
  /** The view was given up on (L13): show the text of the result, and the cause. */
  failed: Cause;
  /** The end, whatever the reason. */
  closed: undefined;
  /** The view logs something (I09). */
  log: Params<"notifications/message">;
  /** The view's content has another size (I08). */
  size: Params<"ui/notifications/size-changed">;
  /** The view asks to be removed (L09): call `teardown` to agree. */
  "teardown-requested": object;
  /** The view offers other tools than before (A03). */
  "tools-changed": object;
  /** Something odd was survived. Never holds a payload. */
  report: VitrineError;
  /** Every message, for an inspector. */
  traffic: Traffic;
}
