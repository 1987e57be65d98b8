/**
 * The guard's error, with the reason and the solution.
 *
 * @module
 */
import { METHOD_NOT_FOUND, VitrineError } from "@vitrine/protocol";

/** JSON-RPC's first implementation-defined code. The reason is in `data.code`. */
export const REFUSED = -32000;

/** Why the guard refused; the meaning of a code never changes. */
export type RefusalCode =
  /** The view's own server offers this tool, but not to views. */
  | "tool-not-visible"
  /** The view's own server does not list this tool. */
  | "tool-unknown"
  /** It would reach another server than the view's own. */
  | "other-server"
  /** The view's own server never named this resource. */
  | "resource-unknown"
  /** A view may not send this method; code -32601. */
  | "method-unknown"
  /** Larger than the limit for this method. */
  | "too-large"
  /** Too many, too fast; `retryAfter` says when to retry. */
  | "rate-limited"
  /** Not a link that may be opened. */
  | "link-invalid"
  /** The host's policy forbids it. */
  | "not-allowed"
  /** The user said no, or cannot be asked. */
  | "denied";

/** Data of a {@link Refusal} for programs. It is sent as the error's `data`. */
export interface RefusalData {
  readonly code: RefusalCode;
  /** Milliseconds after which it may work. */
  readonly retryAfter?: number;
  /** An of many dropped notifications, of which the first was reported: ignore it. */
  readonly repeated?: boolean;
}

/**
 * The guard refused a call: nothing was done. A server's own errors are never of this class.
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
 * Whether an error is a refusal of the guard.
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

/** The error of a call that was cancelled while it waited. */
export const cancelledError = (): VitrineError =>
  new VitrineError("aborted", "the view cancelled its request");
