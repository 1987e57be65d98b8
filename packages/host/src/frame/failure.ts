/**
 * Why a frame shows no app: each cause has a code that never changes its meaning, and a sentence for the person who
 * looks at it.
 *
 * @module
 */

/** What kind of {@link Failure}. */
export type FailureCode =
  /** The app never began to talk, or never said that it is ready (L13). */
  | "handshake_timeout"
  /** The app's own policy blocked what it needs to start: it declares too little, or wants what no app may have. */
  | "csp_blocked"
  /** The sandbox or the app's document did not load. */
  | "load_failed"
  /** The server's UI resource cannot be shown (C08, B08, B19). */
  | "bad_resource"
  /** The app left its own document. */
  | "navigated_away"
  /** The browser ended the app's process. */
  | "crashed"
  /** The app took the keyboard focus again and again, without a press in it (attack E03). */
  | "took_focus"
  /** The app flooded the page with messages (attack E10). */
  | "flooded"
  /** The person stopped an app that did not respond, or the page one that takes what is not its own. */
  | "stopped";

/** Why a frame shows no app. */
export interface Failure {
  code: FailureCode;
  /** A sentence for the person who looks at the frame. */
  message: string;
  /** What else is known, for the app's author: hostile text, escape it. */
  detail?: string | undefined;
}

/** The sentences. */
export const FAILURES: Readonly<Record<FailureCode, string>> = {
  handshake_timeout: "This app did not start in time.",
  csp_blocked: "This app could not start: its policy blocked what it needs.",
  load_failed: "This app could not be loaded.",
  bad_resource: "This app cannot be shown: the server describes it wrongly.",
  navigated_away: "This app left its page and was stopped.",
  crashed: "This app crashed.",
  took_focus: "This app was stopped: it kept taking the keyboard focus while you were elsewhere.",
  flooded: "This app was stopped: it flooded the page with messages.",
  stopped: "This app was stopped.",
};
