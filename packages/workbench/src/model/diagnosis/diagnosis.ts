/**
 * What can be said about an app that is blank, or not as it should be.
 *
 * @module
 */
import type { FailureCode } from "@vitrine/host";
import type { UiDocumentErrorCode } from "@vitrine/protocol";
import type { AppModel } from "../app/app-model.js";

/** What there is to say about an app. */
export interface Diagnosis {
  /** `error`: there is no app to see; `warning`: there is, and something is wrong; `info`: worth knowing. */
  readonly level: "error" | "warning" | "info";
  /** A code that never changes its meaning, and a sentence. */
  readonly cause: { readonly code: DiagnosisCode; readonly message: string };
  /** What was seen. Partly the words of the app and its server: hostile text. */
  readonly evidence: readonly string[];
  /** What to do. */
  readonly fix: string;
}

/** What kind of {@link Diagnosis}. */
export type DiagnosisCode =
  | FailureCode
  | UiDocumentErrorCode
  /** The tool names no UI. */
  | "no_ui"
  /** The server has a UI for the tool, and cannot read it. */
  | "view_unreadable"
  /** A script threw before the app began to talk. */
  | "script_error"
  /** The policy keeps the app from running a script. */
  | "script_blocked"
  /** The policy blocked a request of the app, and a script failed because of that. */
  | "request_blocked"
  /** The profile keeps out what the app declares. */
  | "profile_blocked"
  /** The app is ready, and has drawn nothing. */
  | "blank"
  /** The app says that it has no height. */
  | "zero_height"
  /** The app never said how high it is. */
  | "no_size"
  /** The app is there, and its result is not. */
  | "result_missing"
  /** The tool's result says that it failed. */
  | "result_error"
  /** The call ended without a result. */
  | "call_ended"
  /** The app does not respond. */
  | "unresponsive"
  /** The document has no script. */
  | "static_document"
  /** The app was closed. */
  | "view_closed";

/** What a diagnosis is made from. */
export type Diagnosed = Pick<
  AppModel,
  "state" | "failure" | "log" | "size" | "look" | "profile" | "isSeen"
> & {
  readonly source: Pick<AppModel["source"], "uri" | "tool" | "problem" | "place">;
};

/** There is no app to see. */
export function error(
  code: DiagnosisCode,
  message: string,
  evidence: readonly string[],
  fix: string,
): Diagnosis {
  return { level: "error", cause: { code, message }, evidence, fix };
}
