/**
 * The one error of the guard: what was not done, and what to do about it.
 *
 * @module
 */
import { METHOD_NOT_FOUND, VitrineError } from "@vitrine/protocol";

/** JSON-RPC: the first of the codes that are left to implementations. Why is in `data.code`. */
export const REFUSED = -32000;

/** Why the guard refused; the meaning of a word never changes. */
export type RefusalCode =
  /** The view's own server offers this tool, but not to views (C03). */
  | "tool-not-visible"
  /** The view's own server does not list such a tool (C03). */
  | "tool-unknown"
  /** It would reach another server than the view's own (C04). */
  | "other-server"
  /** The view's own server never named such a resource (C04). */
  | "resource-unknown"
  /** A view may not send this at all; code -32601 (L12). */
  | "method-unknown"
  /** More than the limit for this method. */
  | "too-large"
  /** Too many, too fast; `retryAfter` says when. */
  | "rate-limited"
  /** No link that may be opened (I04). */
  | "link-invalid"
  /** The host's policy says no. */
  | "not-allowed"
  /** The person said no, or there is nobody to ask. */
  | "denied";

/** What a {@link Refusal} says to programs. It crosses the wire as the error's `data`. */
export interface RefusalData {
  readonly code: RefusalCode;
  /** Milliseconds after which it may work. */
  readonly retryAfter?: number;
  /** One of many dropped notifications, of which the first was reported: pass it over in silence (D03). */
  readonly repeated?: boolean;
}

/**
 * The guard refused a call: nothing was done. A server's own errors are never this, whatever they say.
 *
 * @example
 * ```ts source="./guard.examples.ts#refusal"
 * const noSecrets: Link = (call, next) => {
 *   if (call.params["name"] === "read_secrets") throw new Refusal("not-allowed", "not for apps");
 *   return next(call);
 * };
 * ```
 */
export class Refusal extends VitrineError {
  declare readonly data: RefusalData;

  constructor(code: RefusalCode, message: string, more?: Omit<RefusalData, "code">) {
    super(code === "method-unknown" ? METHOD_NOT_FOUND : REFUSED, message, { data: { code, ...more } });
  }
}

/**
 * Whether the guard refused, in place of something that failed.
 *
 * @example
 * ```ts source="./guard.examples.ts#isRefusal"
 * try {
 *   return await guard(call, next);
 * } catch (error) {
 *   if (isRefusal(error) && error.data.code === "rate-limited") wait(error.data.retryAfter ?? 1000);
 *   throw error;
 * }
 * ```
 */
export const isRefusal = (error: unknown): error is Refusal => error instanceof Refusal;

/** What a call ends with that was taken back while it waited. */
export const takenBack = (): VitrineError => new VitrineError("aborted", "the view took its request back");
