/**
 * Output of `vitrine render --json`. `render.schema.json` describes the same.
 *
 * @module
 */
import type { RenderConsent, RenderViolation, ReplayOutcome } from "@vitrine/workbench";

/** Why it failed. */
export interface RenderCause {
  /** A code whose meaning never changes. */
  readonly code: string;
  readonly message: string;
  /** The solution. */
  readonly fix: string;
}

/** A line of the app's console or log. */
export interface ConsoleLine {
  readonly level: string;
  /** `console` and `script`: from the browser; `log`: sent to the host; `host`: noticed by the host. */
  readonly from: "console" | "script" | "log" | "host";
  readonly text: string;
  /** For `script`, if the browser reports it: `file:line:column`; `document` is the app's own document. */
  readonly place?: string | undefined;
}

/** Milliseconds since the start of the tool's turn; null if it did not happen. */
export interface RenderTimings {
  readonly connected: number | null;
  readonly toolResult: number | null;
  readonly proxyReady: number | null;
  readonly initialized: number | null;
  readonly resultDelivered: number | null;
  readonly firstSize: number | null;
}

/** The result of one tool's app. */
export interface RenderResult {
  readonly ok: boolean;
  readonly cause?: RenderCause | undefined;
  readonly server: { readonly name: string; readonly version: string };
  readonly tool: string;
  readonly arguments: Record<string, unknown>;
  readonly resourceUri: string;
  readonly view?:
    | { readonly appInfo: Record<string, unknown>; readonly capabilities: Record<string, unknown> }
    | undefined;
  /** Whether the app is a document without a script. */
  readonly static?: true | undefined;
  readonly timings: RenderTimings;
  readonly size: { readonly width: number; readonly height: number };
  readonly text: string;
  readonly console: readonly ConsoleLine[];
  readonly csp: { readonly policy: string; readonly violations: readonly RenderViolation[] };
  /** Number of messages to the app, and from it. */
  readonly messages: { readonly sent: number; readonly received: number };
  readonly consents: readonly RenderConsent[];
  /** Outcome of a replay. */
  readonly replay?: ReplayOutcome | undefined;
  readonly screenshot?: string | undefined;
  readonly trace?: string | undefined;
  /** Number of removed values for each `--redact`. */
  readonly redacted?: readonly { readonly path: string; readonly values: number }[] | undefined;
}

/** The results of several apps. */
export interface RenderReport {
  readonly ok: boolean;
  readonly cause?: RenderCause | undefined;
  readonly server: RenderResult["server"];
  readonly results: readonly RenderResult[];
  /** Skipped tools with a UI, with the reason. */
  readonly skipped: readonly { readonly tool: string; readonly reason: string }[];
  /** The contact sheet. */
  readonly screenshot?: string | undefined;
}

/** Known facts about an app before it is shown. */
export interface KnownBefore {
  readonly server: RenderResult["server"];
  /** Milliseconds to connect. */
  readonly connected?: number | undefined;
  readonly resourceUri?: string | undefined;
}

/** The result of a tool whose app was never shown. */
export const unrendered = (
  tool: string,
  { server, connected, resourceUri }: KnownBefore,
  cause: RenderCause,
): RenderResult => ({
  ok: false,
  cause,
  server,
  tool,
  arguments: {},
  resourceUri: resourceUri ?? "",
  timings: {
    connected: connected ?? null,
    toolResult: null,
    proxyReady: null,
    initialized: null,
    resultDelivered: null,
    firstSize: null,
  },
  size: { width: 0, height: 0 },
  text: "",
  console: [],
  csp: { policy: "", violations: [] },
  messages: { sent: 0, received: 0 },
  consents: [],
});
