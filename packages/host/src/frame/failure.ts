/**
 * Why a frame shows no app: each cause has a stable code, and a message for the user.
 *
 * @module
 */

import type { LoadFailureCause } from "./load-failure.js";

/** The kind of a {@link FrameFailure}. */
export type FrameFailureCode =
  /** The app did not start, or did not report that it is ready. */
  | "handshake-timeout"
  /**
   * The app's own policy blocked something that it needs to start: it declares too little, or needs something
   * that no app may have.
   */
  | "csp-blocked"
  /** The sandbox or the app's document did not load. */
  | "load-failed"
  /** The server's UI resource cannot be shown. */
  | "bad-resource"
  /** The app navigated away from its document. */
  | "navigated-away"
  /** The browser ended the app's process. */
  | "crashed"
  /** The app repeatedly took the keyboard focus without a press in it. */
  | "took-focus"
  /** The app flooded the page with messages. */
  | "flooded"
  /** The user stopped an unresponsive app, or the page stopped one that uses too many resources. */
  | "stopped";

/** Why a frame shows no app. */
export interface FrameFailure {
  code: FrameFailureCode;
  /** A message for the user. */
  message: string;
  /** Further details for the app's author: untrusted text, escape it. */
  detail?: string | undefined;
  /** Why something did not load. */
  cause?: LoadFailureCause | undefined;
  /** The page of the documentation that says what to do about each code. */
  help?: string | undefined;
}

/** See {@link FrameFailure.help}. */
export const HELP = "https://github.com/vitrine-mcp/vitrine/blob/main/docs/errors.md#frames";
