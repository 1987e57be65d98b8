/**
 * What passes the gateway's guard.
 *
 * @module
 */
import type { ViewCall } from "@vitrine/guard";

/** On whose behalf: an app, the person at the host page, the model, another program over HTTP, or a server that asks something. */
export type Actor = "view" | "host" | "model" | "http" | "server";

/** One thing that is asked of the gateway, with who asks. Nothing in it is believed before it has passed the guard. */
export interface GuardedCall {
  readonly actor: Actor;
  readonly user: string;
  /** The view's id, which is the gateway's own; what another actor says here only keeps its calls apart. */
  readonly view: string;
  readonly server: string;
  /** The server that is meant: another one that has its name by now does not get the call. */
  readonly identity?: string | undefined;
  readonly method: string;
  readonly params: Record<string, unknown>;
  /** The JSON of the params as it came, where it is at hand: it saves writing it again for its hash. */
  readonly paramsText?: string | undefined;
  /** The caller's own name for this call: with the same one it is done once. */
  readonly key?: string | undefined;
  /** The gateway made the key for this call: no earlier call can have had it. */
  readonly isOwnKey?: boolean | undefined;
  /** The view may have had another name when it asked under this key: its session was lost. */
  readonly mayBeOld?: boolean | undefined;
  /** Aborted when the request is taken back, or the view is closed. */
  readonly signal?: AbortSignal | undefined;
}

/** What the gateway knows about a view of a user. */
export interface KnownView {
  /** The browser session: answers "for this session" are kept for it, or for the view alone. */
  readonly session?: string | undefined;
  /** The tool whose UI it is, and the UI's address: both are names of it in a policy. */
  readonly tool?: string | undefined;
  readonly uri?: string | undefined;
}

/** Finds a view of this user, on this server; undefined for what is not, or no longer, one. */
export type FindView = (view: string) => KnownView | undefined;

/** What a call is called where limits are counted: views, programs and the page never share a place. */
export const laneOf = ({ actor, view }: GuardedCall): string =>
  actor === "view" ? view : `${actor}:${view}`;

/** Who asks under an idempotency key: each view is a caller of its own, the others are one each. */
export const callerOf = ({ actor, view }: Pick<GuardedCall, "actor" | "view">): string =>
  actor === "view" ? `view ${view}` : actor;

/** The call as the links of `@vitrine/host` take it. */
export const asViewCall = (call: GuardedCall, method: ViewCall["method"]): ViewCall => ({
  view: laneOf(call),
  server: call.server,
  method,
  params: call.params,
  signal: call.signal,
});
