/**
 * What the page of `vitrine render` can do, for the command that drives it from outside. Everything is plain data: it
 * crosses from a browser to a Node process.
 *
 * @module
 */

/** What an app may be allowed. */
export type Allowance = "calls" | "links" | "downloads" | "messages" | "permissions" | "all";

/** Which app to show, and how. */
export interface RenderRequest {
  readonly server: string;
  readonly tool: string;
  readonly arguments: Record<string, unknown>;
  /** The id of a profile. */
  readonly profile: string;
  readonly device: "desktop" | "tablet" | "mobile";
  readonly mode: "inline" | "fullscreen" | "pip";
  /** What is answered with yes; everything else is a no. */
  readonly allow: readonly Allowance[];
  /** Milliseconds that the app and its call have together. */
  readonly timeout: number;
}

/** The document of an app, as it was read from its server. */
export interface RenderDocument {
  readonly html: string;
  readonly meta: object;
}

/** Something to be done with the app: a text or selector to press; a text to wait for, or milliseconds. */
export type RenderAct = { readonly click: string } | { readonly wait: string | number };

/** What a person saw of the app: the page itself cannot look into the app's frame, whoever drives it can. */
export interface RenderShown {
  /** Absent if it was taken out of the recording. */
  readonly text?: string | undefined;
  /** Whether there was anything to see. */
  readonly isDrawn: boolean;
}

/** A recording with how many values were taken out for each path, or why there is none. */
export type RenderTrace =
  | { readonly recording: string; readonly redacted: readonly number[] }
  | { readonly problem: RenderProblem };

/** Which recording to play. */
export interface ReplayRequest {
  /** The text of its file. */
  readonly recording: string;
  /** A server whose app of the same address takes the place of the recorded one. */
  readonly server?: string | undefined;
  /** What is done with the app, in place of what the recording has. */
  readonly acts?: readonly RenderAct[] | undefined;
  /** Milliseconds that all of it may take: then what there is by then is compared. */
  readonly timeout: number;
}

/** What was different when a recording was played. */
export interface ReplayOutcome {
  /** A sentence for each difference. */
  readonly differences: readonly string[];
  /** How many of the app's deeds were compared, and how many were not, as a person had to do something first. */
  readonly compared: number;
  readonly untested: number;
  /** How many steps, such as presses, were repeated. */
  readonly steps: number;
  /** The app was recorded with what it had kept from before: a difference may come from that. */
  readonly restored?: boolean | undefined;
}

/** Something that had to be asked, and what was answered. */
export interface RenderConsent {
  readonly method: string;
  /** The tool, the host of the link, or the permission. */
  readonly subject: string;
  readonly title: string;
  readonly answer: "allow" | "deny";
  /** What would have allowed it, or did: `--allow-calls`. */
  readonly option: string;
}

/** A line that the app wrote, or that was written about it. */
export interface RenderLine {
  readonly level: string;
  /** `log`: `notifications/message`; `script`: what was thrown; `host`: what the page noticed. */
  readonly from: "log" | "script" | "host";
  readonly text: string;
  /** Of what was thrown: `file:line:column`; `document` is the app's own document. */
  readonly place?: string | undefined;
}

/** Something that the app's policy blocked. */
export interface RenderViolation {
  readonly directive: string;
  readonly blocked: string;
}

/** What is wrong, for programs and for people. */
export interface RenderProblem {
  readonly code: string;
  readonly message: string;
  readonly fix?: string | undefined;
}

/** When things happened, in milliseconds since 1970. */
export interface RenderTimes {
  toolResult?: number;
  proxyReady?: number;
  initialized?: number;
  resultDelivered?: number;
  firstSize?: number;
}

/** How it is with the app now. */
export interface RenderSnapshot {
  /** The name under which the app's server is known, or was when it was recorded. */
  readonly server: string;
  /** Empty for one that nobody called. */
  readonly tool: string;
  readonly uri: string;
  readonly isReady: boolean;
  readonly hasResult: boolean;
  /** The document has no script: it is there, and takes no result. */
  readonly isStatic?: boolean | undefined;
  /** Why it is not as it should be. */
  readonly problem?: RenderProblem | undefined;
  readonly view?:
    | { readonly appInfo: Record<string, unknown>; readonly capabilities: Record<string, unknown> }
    | undefined;
  readonly times: RenderTimes;
  /** Pixels of the frame. */
  readonly size: { readonly width: number; readonly height: number };
  readonly policy: string;
  /** The origins of what is around the app: this page, and the sandbox's frame. */
  readonly around: readonly string[];
  readonly violations: readonly RenderViolation[];
  readonly lines: readonly RenderLine[];
  readonly consents: readonly RenderConsent[];
  readonly messages: { readonly sent: number; readonly received: number };
  readonly replay?: ReplayOutcome | undefined;
  /** Of a recording that was played: what was seen when it was made. `"unknown"` in recordings that do not say it. */
  readonly recorded?: RenderShown | "unknown" | undefined;
}

/** The page's one global, `vitrineRender`. */
export interface RenderPage {
  /** The hosts that can be imitated. */
  readonly profiles: readonly { readonly id: string; readonly displayModes: readonly string[] }[];
  /** Shows an app. Resolves when it is ready and has its result, when it failed, or when the time is over. */
  open(request: RenderRequest): Promise<void>;
  /** Plays a recording to its end, and compares. Needs somebody who does what {@link nextAct} says. */
  replay(request: ReplayRequest): Promise<void>;
  /** What is to be done with the replayed app, when it is time for that; undefined when there is nothing more. */
  nextAct(): Promise<RenderAct | undefined>;
  /** That was done, or could not be: why. */
  actEnded(problem?: string): void;
  /** Notes for the recording what is done with the app at this moment. */
  noteAct(act: RenderAct): void;
  /** Resolves when the app asks for nothing any more and says nothing, or after so many milliseconds. */
  settle(limit: number): Promise<void>;
  snapshot(): RenderSnapshot;
  /**
   * A recording of what happened, with a document that was kept or else one that is read anew; undefined when there was
   * no app to record. Values at the paths are taken out of it.
   */
  trace(
    document?: RenderDocument,
    redact?: readonly string[],
    shown?: RenderShown,
  ): Promise<RenderTrace | undefined>;
}
