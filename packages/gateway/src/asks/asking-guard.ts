/**
 * The guard that requests of servers and apps to users and models pass.
 *
 * @module
 */
import type { Question } from "@vitrine/guard";
import { recordOf } from "@vitrine/protocol";
import type { GatewayGuard } from "../guard/gateway-guard.js";
import type { GuardedCall } from "../guard/guarded-call.js";

/** The guard of a user at the server that asks, such as a `GatewayGuard`. */
export type AskingGuard = Pick<GatewayGuard, "pass" | "user" | "server" | "isDenied">;

/** A request of the guard's server. */
export const serverCall = (
  { user, server: { name: server, identity } }: AskingGuard,
  method: string,
  params: unknown,
  signal: AbortSignal,
): GuardedCall => ({
  actor: "server",
  user,
  view: "",
  server,
  identity,
  method,
  params: recordOf(params),
  signal,
});

/** The question about a server's request, for the policy. The service shows it in a form of its own. */
export const serverQuestion = ({ server, method, params }: GuardedCall): Question => ({
  view: "",
  server,
  method,
  subject: "",
  fingerprint: "",
  title: method,
  params,
  reason: `The server wants ${method}.`,
});
