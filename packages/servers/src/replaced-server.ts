/**
 * The error for an entry whose server was replaced by another one of the same name.
 *
 * @module
 */
import { GatewayError } from "@vitrine/wire";

/**
 * Returned instead of opening an entry's app or making its call: the entry belongs to a server that no longer
 * exists.
 */
export const replacedServer = (name: string): GatewayError =>
  new GatewayError(
    "server-replaced",
    `this belongs to a different server that was named "${name}" before, so it is not sent to the current one: call the tool again`,
  );
