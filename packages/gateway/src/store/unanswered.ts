/**
 * The error of a request that the database did not answer.
 *
 * @module
 */
import { messageOf } from "@vitrine/servers/support";
import { GatewayError } from "@vitrine/wire";

/** The database did not answer: nothing was done, and the request may be sent again. */
export const unanswered = (what: string, cause: unknown): GatewayError =>
  new GatewayError("audit-failed", `${what}: ${messageOf(cause)}`, { cause });
