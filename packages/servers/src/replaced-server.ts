/**
 * Another server has the name of one that an entry was answered by.
 *
 * @module
 */
import { GatewayError } from "@vitrine/wire";

/** The app of an entry is not opened, or its call not made: what it has belongs to a server that is not there now. */
export const replacedServer = (name: string): GatewayError =>
  new GatewayError(
    "server-replaced",
    `another server was called "${name}" when this was called, so the one of that name now does not get it: call the tool again`,
  );
