/**
 * The interface of the `vitrine render` page for the command that drives it. Everything is plain data,
 * because it crosses from a browser to a Node process.
 *
 * @module
 */

/** Permissions that an app may get. */
export type Allowance = "calls" | "links" | "downloads" | "messages" | "permissions" | "all";

/** The app to show, and how. */
export interface RenderRequest {
  readonly server: string;
  readonly tool: string;
  readonly arguments: Record<string, unknown>;
  /** The id of a profile. */
  readonly profile: string;
  readonly device: "desktop" | "tablet" | "mobile";
  readonly mode: "inline" | "fullscreen" | "pip";
  /** Approved actions; all others are denied. */
  readonly allow: readonly Allowance[];
  /** Milliseconds for the app and its call together. */
  readonly timeout: number;
}

/** A call of a conversation whose app is to be shown. */
export interface CallRequest
  extends Pick<RenderRequest, "server" | "tool" | "profile" | "device" | "mode" | "timeout"> {
  readonly conversation: string;
  /** The entry of the call. */
  readonly item: string;
}

/** The document of an app, as read from its server. */
export interface RenderDocument {
  readonly html: string;
  readonly meta: object;
}

/** An action on the app: a text or selector to click; a text to wait for, or milliseconds. */
export type RenderAct = { readonly click: string } | { readonly wait: string | number };

/** The visible part of the app: the page itself cannot look into the app's frame, but the command can. */
export interface RenderShown {
  /** Absent if it was redacted. */
  readonly text?: string | undefined;
  /** Whether anything was visible. */
  readonly isDrawn: boolean;
}

/** A recording with the number of redacted values per path, or why there is none. */
export type RenderTrace =
  | { readonly recording: string; readonly redacted: readonly number[] }
  | { readonly problem: RenderProblem };

/** The recording to play. */
export interface ReplayRequest {
  /** The text of its file. */
  readonly recording: string;
  /** A server whose app at the same address replaces the recorded one. */
  readonly server?: string | undefined;
  /** Actions that replace the recorded ones. */
  readonly acts?: readonly RenderAct[] | undefined;
  /** Maximum milliseconds: then the state so far is compared. */
  readonly timeout: number;
}

/** The outcome of a replay. */
export interface ReplayOutcome {
  /** A sentence per difference. */
  readonly differences: readonly string[];
  /** Number of compared actions, and of those that were not, because a user action was needed first. */
  readonly compared: number;
  readonly untested: number;
  /** Number of repeated steps, such as clicks. */
  readonly steps: number;
  /** Whether the app was recorded with stored state, which may cause a difference. */
  readonly restored?: boolean | undefined;
}

/** A question and its answer. */
export interface RenderConsent {
  readonly method: string;
  /** The tool, the host of the link, or the permission. */
  readonly subject: string;
  readonly title: string;
  readonly answer: "allow" | "deny";
  /** The option that allows it: `--allow-calls`. */
  readonly option: string;
}

/** A line that the app wrote, or about it. */
export interface RenderLine {
  readonly level: string;
  /** `log`: `notifications/message`; `script`: an error; `host`: noticed by the page. */
  readonly from: "log" | "script" | "host";
  readonly text: string;
  /** For an error: `file:line:column`; `document` is the app's own document. */
  readonly place?: string | undefined;
}

/** A policy violation of the app. */
export interface RenderViolation {
  readonly directive: string;
  readonly blocked: string;
}

/** A problem, for programs and users. */
export interface RenderProblem {
  readonly code: string;
  readonly message: string;
  readonly fix?: string | undefined;
}

/** Times of events, in milliseconds since 1970. */
export interface RenderTimes {
  toolResult?: number;
  proxyReady?: number;
  initialized?: number;
  resultDelivered?: number;
  firstSize?: number;
}

/** The current state of the app. */
export interface RenderSnapshot {
  /** The name of the app's server, now or in the recording. */
  readonly server: string;
  /** Empty if no tool was called. */
  readonly tool: string;
  readonly uri: string;
  readonly isReady: boolean;
  readonly hasResult: boolean;
  /** Whether the document has no script: it takes no result. */
  readonly isStatic?: boolean | undefined;
  /** Why it is not as expected. */
  readonly problem?: RenderProblem | undefined;
  readonly view?:
    | { readonly appInfo: Record<string, unknown>; readonly capabilities: Record<string, unknown> }
    | undefined;
  readonly times: RenderTimes;
  /** Pixels of the frame. */
  readonly size: { readonly width: number; readonly height: number };
  readonly policy: string;
  /** Origins of the surrounding frames: this page, and the sandbox's. */
  readonly around: readonly string[];
  readonly violations: readonly RenderViolation[];
  readonly lines: readonly RenderLine[];
  readonly consents: readonly RenderConsent[];
  readonly messages: { readonly sent: number; readonly received: number };
  readonly replay?: ReplayOutcome | undefined;
  /** For a replay: the recorded visible part. `"unknown"` if the recording does not contain it. */
  readonly recorded?: RenderShown | "unknown" | undefined;
}

/** The page's global, `vitrineRender`. */
export interface RenderPage {
  /** The available profiles. */
  readonly profiles: readonly { readonly id: string; readonly displayModes: readonly string[] }[];
  /** Shows an app. Resolves when it is ready and has its result, when it failed, or at the timeout. */
  open(request: RenderRequest): Promise<void>;
  /**
   * Shows the app of a call in its conversation: it can write to the conversation, and offer tools to the model.
   * Resolves like {@link open}.
   */
  showCall(request: CallRequest): Promise<void>;
  /** Plays a recording to its end, and compares. The caller must perform the actions of {@link nextAct}. */
  replay(request: ReplayRequest): Promise<void>;
  /** The next action on the replayed app, when its time has come; undefined at the end. */
  nextAct(): Promise<RenderAct | undefined>;
  /** Reports that the action was performed, or why it failed. */
  actEnded(problem?: string): void;
  /** Records an action that is performed now. */
  noteAct(act: RenderAct): void;
  /** Resolves when the app is idle, or after this many milliseconds. */
  settle(limit: number): Promise<void>;
  snapshot(): RenderSnapshot;
  /**
   * A recording with the given document, or one that is read again; undefined if there was no app. Values at
   * the paths are redacted.
   */
  trace(
    document?: RenderDocument,
    redact?: readonly string[],
    shown?: RenderShown,
  ): Promise<RenderTrace | undefined>;
}
