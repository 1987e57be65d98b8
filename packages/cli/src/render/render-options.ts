/**
 * Options of `vitrine render`.
 *
 * @module
 */
import type { ServerOptions } from "../server-argument.js";

/** A step after the app is shown. */
export type RenderStep =
  /** A visible text, or a CSS selector. */
  | { readonly click: string }
  /** A text that must appear, or milliseconds. */
  | { readonly wait: string };

/** The options of the command line. */
export interface RenderOptions extends ServerOptions {
  /** The tools to render; several give a contact sheet instead of a single screenshot. */
  readonly tool?: readonly string[] | undefined;
  /** All tools with a UI that can be called with arguments generated from their schemas. */
  readonly all?: boolean | undefined;
  /** JSON, `@file`, or `-` for stdin. */
  readonly args?: string | undefined;
  readonly theme?: string | undefined;
  readonly mode?: string | undefined;
  readonly device?: string | undefined;
  readonly locale?: string | undefined;
  readonly timeZone?: string | undefined;
  readonly profile?: string | undefined;
  readonly screenshot?: string | undefined;
  readonly trace?: string | undefined;
  /** Paths of message values that are removed from the recording: `params.arguments.user`. */
  readonly redact?: readonly string[] | undefined;
  /** A recording: its app is shown without the server; with a server, the server's current app. */
  readonly replay?: string | undefined;
  /** With a recording: do not compare the text of the app. */
  readonly ignoreText?: boolean | undefined;
  /** `--click` and `--wait`, in the order of the command line; with a recording, they replace its steps. */
  readonly steps?: readonly RenderStep[] | undefined;
  readonly allowCalls?: boolean | undefined;
  readonly allowLinks?: boolean | undefined;
  readonly allowDownloads?: boolean | undefined;
  readonly allowMessages?: boolean | undefined;
  readonly allowPermissions?: boolean | undefined;
  readonly allowAll?: boolean | undefined;
  readonly json?: boolean | undefined;
  /** Milliseconds for each step: starting the server, the app with its call, each click, each wait. */
  readonly timeout?: number | undefined;
}
