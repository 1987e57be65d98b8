/**
 * Diagnoses of blank or broken apps.
 *
 * @module
 */
import type { FrameFailureCode } from "@vitrine/host";
import type { UiDocumentErrorCode } from "@vitrine/protocol";
import type { AppModel } from "../app/app-model.js";

/** A diagnosis of an app. */
export interface Diagnosis {
  /**
   * `error`: the app is not visible; `warning`: it is visible, but something is wrong; `info`: worth knowing.
   */
  readonly level: "error" | "warning" | "info";
  /** A stable code and a message. */
  readonly cause: { readonly code: DiagnosisCode; readonly message: string };
  /** Evidence, partly from the app and its server: untrusted text. */
  readonly evidence: readonly string[];
  /** The solution. */
  readonly fix: string;
}

/** The kind of a {@link Diagnosis}. */
export type DiagnosisCode =
  | FrameFailureCode
  | UiDocumentErrorCode
  /** The tool has no UI. */
  | "no-ui"
  /** The tool has a UI, but the server cannot read it. */
  | "view-unreadable"
  /** A script threw before the app connected. */
  | "script-error"
  /** The policy blocks a script of the app. */
  | "script-blocked"
  /** The policy blocked a request of the app, and a script failed because of that. */
  | "request-blocked"
  /** The profile blocks a declared origin. */
  | "profile-blocked"
  /** The app is ready, but has drawn nothing. */
  | "blank"
  /** The app reports no height. */
  | "zero-height"
  /** The app never reported its height. */
  | "no-size"
  /** The app is ready, but has no result. */
  | "result-missing"
  /** The tool's result is an error. */
  | "result-error"
  /** The call ended without a result. */
  | "call-ended"
  /** The app does not respond. */
  | "unresponsive"
  /** The document has no script. */
  | "static-document"
  /** The app was closed. */
  | "view-closed";

/** Input of a diagnosis. */
export type Diagnosed = Pick<
  AppModel,
  "state" | "failure" | "log" | "size" | "look" | "profile" | "isSeen" | "isPaintMeasured"
> & {
  readonly source: Pick<AppModel["source"], "uri" | "tool" | "problem" | "place">;
};

/** The app is not visible. */
export function error(
  code: DiagnosisCode,
  message: string,
  evidence: readonly string[],
  fix: string,
): Diagnosis {
  return { level: "error", cause: { code, message }, evidence, fix };
}
