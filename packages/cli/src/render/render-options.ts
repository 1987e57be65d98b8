/**
 * What can be said to `vitrine render`.
 *
 * @module
 */
import type { ServerOptions } from "../server-argument.js";

/** Something that is done with the app once it is shown. */
export type RenderStep =
  /** A text that the app shows, or a CSS selector. */
  | { readonly click: string }
  /** A text that must appear, or milliseconds. */
  | { readonly wait: string };

/** The options, as the command line has them. */
export interface RenderOptions extends ServerOptions {
  /** The tools to render; with several, there is a contact sheet in place of one picture. */
  readonly tool?: readonly string[] | undefined;
  /** All tools with a UI that can be called with arguments made from their schemas. */
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
  /** Places in messages whose values are taken out of the recording: `params.arguments.user`. */
  readonly redact?: readonly string[] | undefined;
  /** A recording: its app is shown without the server; with one, the app as that server has it now. */
  readonly replay?: string | undefined;
  /** With a recording: the text that the app shows is not compared with the text that it showed. */
  readonly ignoreText?: boolean | undefined;
  /** `--click` and `--wait`, in the order of the command line; with a recording, in place of what it has. */
  readonly steps?: readonly RenderStep[] | undefined;
  readonly allowCalls?: boolean | undefined;
  readonly allowLinks?: boolean | undefined;
  readonly allowDownloads?: boolean | undefined;
  readonly allowMessages?: boolean | undefined;
  readonly allowPermissions?: boolean | undefined;
  readonly allowAll?: boolean | undefined;
  readonly json?: boolean | undefined;
  /** Milliseconds for each step: the server's start, the app with its call, each click, each wait. */
  readonly timeout?: number | undefined;
}
