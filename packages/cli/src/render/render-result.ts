/**
 * What `vitrine render --json` prints. `render.schema.json` of this package describes the same.
 *
 * @module
 */
import type { RenderConsent, RenderViolation, ReplayOutcome } from "@vitrine/workbench";

/** Why it is not ok. */
export interface RenderCause {
  /** A word that never changes its meaning. */
  readonly code: string;
  readonly message: string;
  /** What to do. */
  readonly fix: string;
}

/** A line of the app's console, or of its log. */
export interface ConsoleLine {
  readonly level: string;
  /** `console` and `script`: the browser's; `log`: sent to the host; `host`: what the host noticed. */
  readonly from: "console" | "script" | "log" | "host";
  readonly text: string;
  /** Of `script`, where the browser says it: `file:line:column`; `document` is the app's own document. */
  readonly place?: string | undefined;
}

/** Milliseconds since the tool's turn began; null for what did not happen. */
export interface RenderTimings {
  readonly connected: number | null;
  readonly toolResult: number | null;
  readonly proxyReady: number | null;
  readonly initialized: number | null;
  readonly resultDelivered: number | null;
  readonly firstSize: number | null;
}

/** What became of one tool's app. */
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
  /** The app is a document without a script. */
  readonly static?: true | undefined;
  readonly timings: RenderTimings;
  readonly size: { readonly width: number; readonly height: number };
  readonly text: string;
  readonly console: readonly ConsoleLine[];
  readonly csp: { readonly policy: string; readonly violations: readonly RenderViolation[] };
  /** How many there were: to the app, and from it. */
  readonly messages: { readonly sent: number; readonly received: number };
  readonly consents: readonly RenderConsent[];
  /** Of a recording that was played. */
  readonly replay?: ReplayOutcome | undefined;
  readonly screenshot?: string | undefined;
  readonly trace?: string | undefined;
  /** How many values of the recording were taken out for each `--redact`. */
  readonly redacted?: readonly { readonly path: string; readonly values: number }[] | undefined;
}

/** What became of several. */
export interface RenderReport {
  readonly ok: boolean;
  readonly cause?: RenderCause | undefined;
  readonly server: RenderResult["server"];
  readonly results: readonly RenderResult[];
  /** Tools with a UI that were not rendered, and why. */
  readonly skipped: readonly { readonly tool: string; readonly reason: string }[];
  /** The contact sheet. */
  readonly screenshot?: string | undefined;
}

/** What is known of an app before it is shown. */
export interface KnownBefore {
  readonly server: RenderResult["server"];
  /** Milliseconds that it took to connect. */
  readonly connected?: number | undefined;
  readonly resourceUri?: string | undefined;
}

/** The result of a tool that never came to be shown. */
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
