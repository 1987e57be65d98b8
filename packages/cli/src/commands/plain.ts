/**
 * Shared by the commands for scripts: finds one server and connects to it.
 *
 * @module
 */
import { surroundings } from "../config-places.js";
import { ServerArguments, type ServerOptions } from "../server-argument.js";
import type { Terminal } from "../terminal.js";
import { FileTrust } from "../trust/file-trust.js";
import { type ConnectedServer, withServer } from "../with-server.js";

/** Options of `tools`, `resources` and `call`. */
export interface PlainOptions extends ServerOptions {
  readonly json?: boolean | undefined;
  /** Milliseconds. */
  readonly timeout?: number | undefined;
}

/** Finds the given server, and runs work with it. */
export async function findServer<T>(
  argument: string,
  options: PlainOptions,
  terminal: Terminal,
  work: (connected: ConnectedServer) => Promise<T>,
): Promise<T> {
  const at = surroundings();
  const trust = new FileTrust({ terminal, at });
  const found = new ServerArguments(options, at, trust, (sentence) => terminal.note(sentence));
  return withServer(await found.findOne(argument), { terminal, timeout: options.timeout }, work);
}
