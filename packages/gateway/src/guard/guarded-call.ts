/**
 * The calls that pass the gateway's guard.
 *
 * @module
 */
import type { ViewCall } from "@vitrine/guard";
import type { ToolVisibility } from "@vitrine/protocol";

/**
 * The origin of a call: an app, the user of the host page, the model, a program over HTTP, or a server that
 * asks something.
 */
export type Actor = "view" | "host" | "model" | "http" | "server";

/** A request to the gateway, with its origin. Nothing in it is trusted before it has passed the guard. */
export interface GuardedCall {
  readonly actor: Actor;
  readonly user: string;
  /**
   * The view's id, assigned by the gateway. For other actors, an arbitrary name that separates their calls.
   */
  readonly view: string;
  readonly server: string;
  /** The intended server: another server that has taken its name does not get the call. */
  readonly identity?: string | undefined;
  readonly method: string;
  readonly params: Record<string, unknown>;
  /** Whether the user has written the request: the method may be any that the server knows. */
  readonly asWritten?: boolean | undefined;
  /** The original JSON of the params, if available, which saves serializing them for the hash. */
  readonly paramsText?: string | undefined;
  /** The caller's own key of this call: calls with the same key run once. */
  readonly key?: string | undefined;
  /** Whether the gateway created the key, so that no earlier call can have had it. */
  readonly isOwnKey?: boolean | undefined;
  /** Whether the view may have had another id when it first used this key, because its session was lost. */
  readonly mayBeOld?: boolean | undefined;
  /** The W3C `traceparent` of the call; by default, that of its params or a new one. */
  readonly trace?: string | undefined;
  /** Aborts when the request is cancelled, or the view is closed. */
  readonly signal?: AbortSignal | undefined;
}

/** Data about a view of a user. */
export interface KnownView {
  /** The browser session, which answers "for this session" refer to; otherwise the view itself. */
  readonly session?: string | undefined;
  /** The tool that the UI belongs to, and the UI's URI. A policy can name either. */
  readonly tool?: string | undefined;
  readonly uri?: string | undefined;
}

/** Finds a view of this user on this server; undefined if it does not exist or was closed. */
export type FindView = (view: string) => KnownView | undefined;

/** The key for counting limits: views, programs and the page are counted separately. */
export const limitKeyOf = ({ actor, view }: Pick<GuardedCall, "actor" | "view">): string =>
  actor === "view" ? view : `${actor}:${view}`;

/** The caller that a question is about, by its name from {@link limitKeyOf}: the model or an app. Programs count as apps. */
export const askerOf = (view: string | undefined): ToolVisibility =>
  view?.startsWith("model:") ? "model" : "app";

/** The caller of an idempotency key: each view is a separate caller, and so is each other actor. */
export const callerOf = ({ actor, view }: Pick<GuardedCall, "actor" | "view">): string =>
  actor === "view" ? `view ${view}` : actor;

/** Converts the call for the links of `@vitrine/guard`. */
export const asViewCall = (call: GuardedCall, method: ViewCall["method"]): ViewCall => ({
  view: limitKeyOf(call),
  server: call.server,
  method,
  params: call.params,
  signal: call.signal,
});
