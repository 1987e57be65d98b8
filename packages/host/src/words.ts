/**
 * Every sentence of this package that a user reads, and the language of the page.
 *
 * @module
 */
import type { AskLevel } from "@vitrine/guard";
import type { FrameFailureCode } from "./frame/failure.js";
import type { FrameQuestion } from "./frame/prompt.js";

/** Words of a frame around its app. */
export interface FrameWords {
  readonly close: string;
  readonly tryAgain: string;
  readonly silent: string;
  /** The app may have stopped the whole page. */
  readonly froze: string;
  readonly stop: string;
  readonly staticDocument: string;
  /** Above an app of a snapshot. */
  readonly savedCopy: string;
  /** Stands where the app was, while the app is in a corner of the window. */
  readonly inCorner: string;
  readonly bringBack: string;
  readonly failures: Readonly<Record<FrameFailureCode, string>>;
}

/** Words of a question. Names of servers, apps and tools come as they are: untrusted text on one line. */
export interface PromptWords {
  readonly asks: (server: string, app: string | undefined) => string;
  readonly scroll: string;
  readonly more: (characters: number) => string;
  readonly deny: string;
  readonly back: string;
  readonly answer: string;
  readonly allowOnce: string;
  /** `scope` is the text of {@link Language.scope}. */
  readonly allowForSession: (scope: string) => string;
  readonly alwaysAllow: (scope: string) => string;
  readonly notAskedAgain: (scope: string) => string;
  readonly yesAlways: (scope: string) => string;
  readonly lessOften: (server: string) => string;
  readonly yesLessOften: string;
  readonly mayDestroy: (tool: string, server: string) => string;
  readonly yesRun: (tool: string) => string;
  readonly howOften: string;
  readonly levels: Readonly<Record<AskLevel, string>>;
  /** A press on a button came before it worked. */
  readonly early: string;
  /** The pointer was on the button before it worked. */
  readonly stayed: string;
}

/** Everything that a user reads, in one language. */
export interface Language extends FrameWords, PromptWords {
  /** The language tag, such as `de` or `zh-Hans`. */
  readonly tag: string;
  /** The direction of the text: left to right if absent. */
  readonly direction?: "ltr" | "rtl" | undefined;
  /** Why the user is asked. Return `question.reason`, which is English, for an unknown method. */
  readonly reason: (question: FrameQuestion) => string;
  /** The scope of a remembered answer, as text within {@link PromptWords.alwaysAllow}. */
  readonly scope: (question: FrameQuestion) => string;
  /** Explains a scope that is not obvious; otherwise empty. */
  readonly scopeNote: (question: FrameQuestion) => string;
}

/** English, around an app. */
const FRAME: FrameWords = {
  close: "Close",
  tryAgain: "Try again",
  silent: "This app does not respond.",
  froze: "The page did not respond for a while. This app may be the cause.",
  stop: "Stop it",
  staticDocument: "Static document",
  savedCopy: "Saved copy: its server is not connected.",
  inCorner: "This app is in the corner of the window.",
  bringBack: "Show it here",
  failures: {
    "handshake-timeout": "This app did not start in time.",
    "csp-blocked": "This app could not start: its policy blocked what it needs.",
    "load-failed": "This app could not be loaded.",
    "bad-resource": "This app cannot be shown: its description is invalid.",
    "navigated-away": "This app left its page and was stopped.",
    crashed: "This app crashed.",
    "took-focus": "This app was stopped: it kept taking the keyboard focus while you were elsewhere.",
    flooded: "This app was stopped: it flooded the page with messages.",
    stopped: "This app was stopped.",
  },
};

/** English, in a question. A constant of its own, so that a page without questions does not load it. */
const PROMPT: PromptWords = {
  asks: (server, app) => `${server} asks${app ? ` · ${app}` : ""}`,
  scroll: "Scroll to read everything.",
  more: (characters) => `${characters} more characters`,
  deny: "Deny",
  back: "Back",
  answer: "Answer",
  allowOnce: "Allow once",
  allowForSession: (scope) => `Allow ${scope} for this session`,
  alwaysAllow: (scope) => `Always allow ${scope}`,
  notAskedAgain: (scope) => `You will not be asked again about ${scope}.`,
  yesAlways: (scope) => `Yes, always allow ${scope}`,
  lessOften: (server) => `Apps of ${server} will ask less often.`,
  yesLessOften: "Yes, ask less often",
  mayDestroy: (tool, server) => `${tool} of ${server} may delete or overwrite something for good.`,
  yesRun: (tool) => `Yes, run ${tool}`,
  howOften: "How often to ask",
  levels: {
    always: "Always: before every action",
    changes: "Changes only: before every call that may change something",
    important: "Important only: approvals are remembered",
  },
  early: "That press came too early to count. Wait a moment, then press again.",
  stayed: "Move the pointer off this question and back onto the button, then press.",
};

let chosen: Language | undefined;

/** The chosen language; undefined for English. */
export const language = (): Language | undefined => chosen;
export const frameWords = (): FrameWords => chosen ?? FRAME;
export const promptWords = (): PromptWords => chosen ?? PROMPT;

/**
 * Sets the language of frames and questions in this page; `undefined` is English. Call it before you show apps: what
 * is already on the screen keeps its words.
 *
 * Apps have their own language: they read `locale` of their context, which is the browser's. Set it in `context` if
 * your page lets users choose.
 *
 * @example
 * ```ts source="./frame.examples.ts#setLanguage"
 * setLanguage(bestLanguage(navigator.languages));
 * ```
 */
export function setLanguage(next: Language | undefined): void {
  chosen = next;
}

/** Marks an element's language and direction, for screen readers and the browser's layout. */
export function markLanguage(element: HTMLElement): void {
  element.lang = chosen?.tag ?? "";
  element.dir = chosen?.direction ?? (chosen ? "ltr" : "");
}
