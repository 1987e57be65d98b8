/**
 * The chain that every request and notification of a view passes before anything happens.
 *
 * @module
 */
import type { NotificationFrom, RequestFrom } from "@vitrine/protocol";

/** Requests to a server that only a user makes, who inspects it. No view may send them. */
export type InspectionMethod =
  | "completion/complete"
  | "logging/setLevel"
  | "tasks/list"
  | "tasks/get"
  | "tasks/result"
  | "tasks/cancel";

/** A request or notification of a view, with its origin. */
export interface ViewCall {
  /** The view's instance. */
  readonly view: string;
  /** The view's server: the only one it may reach. */
  readonly server: string;
  readonly method: RequestFrom<"view"> | NotificationFrom<"view"> | InspectionMethod;
  /** Checked against the method table. */
  readonly params: Record<string, unknown>;
  /** Aborted when the view cancels the request, or is closed. */
  readonly signal?: AbortSignal | undefined;
}

/** Passes a call on. */
export type Next = (call: ViewCall) => Promise<unknown>;

/** A concern: passes the call on, changed or not, or throws to refuse it. */
export interface Link {
  (call: ViewCall, next: Next): Promise<unknown>;
  /**
   * Receives every result of the tool call that the view shows: it may name resources that the view may read.
   */
  learn?(result: unknown): void;
}

/**
 * Combines links; the first one sees a call first and its outcome last.
 *
 * @example
 * ```ts source="./guard.examples.ts#chain"
 * const timed: Link = async (call, next) => {
 *   const start = Date.now();
 *   try {
 *     return await next(call);
 *   } finally {
 *     log(`${call.method}: ${Date.now() - start} ms`);
 *   }
 * };
 * const readOnly: Link = (call, next) => {
 *   if (call.method === "tools/call") throw new Error("no tools here");
 *   return next(call);
 * };
 * // `timed` also sees the calls that `readOnly` refuses.
 * const guard = chain(timed, readOnly);
 * ```
 */
export function chain(...links: Link[]): Link {
  return (call, next) => links.reduceRight<Next>((rest, link) => (passed) => link(passed, rest), next)(call);
}
