/**
 * A server for the duration of a command: the gateway's connection, without a gateway.
 *
 * @module
 */

import { VitrineError } from "@vitrine/protocol";
import { launch, type Server, ServerPool, type ServerSettings } from "@vitrine/servers";
import { CliError, told } from "./exit.js";
import { interruptible } from "./signals.js";
import { strayLine, withStray } from "./stray-lines.js";
import type { Terminal } from "./terminal.js";
import { VERSION } from "./version.js";
import type { Waiting } from "./waiting.js";

/** A connected server, for a command. */
export interface ConnectedServer {
  readonly server: Server;
  /** Ctrl-C. */
  readonly signal: AbortSignal;
  /** The progress line. */
  readonly waiting: Waiting;
}

/** Milliseconds that a server gets to exit by itself. */
const GRACE = 1_000;

/**
 * Starts a server, runs work with it, and ends it with all its processes.
 *
 * @param timeout maximum milliseconds to start, and then without a sign of life
 * @throws {CliError} with a message and the end of the server's stderr
 */
export function withServer<T>(
  settings: ServerSettings,
  { terminal, timeout }: { terminal: Terminal; timeout?: number | undefined },
  work: (connected: ConnectedServer) => Promise<T>,
): Promise<T> {
  const { name, limits } = settings;
  const user = "local";
  const patient: ServerSettings = {
    ...settings,
    start: "lazy",
    limits: { ...limits, ...(timeout !== undefined && { timeout, startTimeout: timeout }) },
  };
  return interruptible(async (signal) => {
    const pool = new ServerPool({ launch, info: { name: "vitrine", version: VERSION } });
    pool.update(new Map([[name, patient]]));
    const server = pool.get(user, name);
    const waiting = terminal.waiting(`starting ${name}`);
    const stopped = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    stopped.catch(() => {});
    try {
      const done = server.start().then(() => work({ server, signal, waiting }));
      done.catch(() => {});
      const result = await Promise.race([done, stopped]);
      const first = server.status.garbage?.first[0];
      if (first !== undefined) terminal.note(strayLine(name, first));
      return result;
    } catch (error) {
      throw signal.aborted ? signal.reason : explain(error, server, patient.limits.timeout);
    } finally {
      waiting.end();
      await pool.close(signal.aborted ? 0 : GRACE);
    }
  });
}

/** Adds the server's name and its last output to an error. */
function explain(error: unknown, { settings, status }: Server, timeout: number): unknown {
  // Errors of the command itself are not the server's fault.
  const known = error instanceof CliError ? undefined : told(error);
  if (!known) return error;
  const { name } = settings;
  const stderr = known.stderr ?? status.problem?.stderr;
  if (error instanceof VitrineError && error.code === "timeout") {
    const message = `${name} did not answer within ${timeout / 1000} s: try again with a longer --timeout, or look at what it does`;
    return new CliError("timeout", message, { cause: error, stderr });
  }
  if (known.code === "server-unauthorized") {
    const message = `${known.message}; put an Authorization header into a settings file, or open it with vitrine dev and sign in there`;
    return new CliError(known.code, message, { cause: error });
  }
  const message = known.message.includes(name) ? known.message : `${name}: ${known.message}`;
  const first = status.garbage?.first[0];
  const full = first === undefined ? `${message}${fixOf(message, stderr)}` : withStray(message, first);
  return new CliError(known.code, full, { cause: error, stderr, exit: known.exit });
}

/** A solution, if neither the error nor the server's last output has one. */
function fixOf(message: string, stderr = ""): string {
  if (/the handshake within/.test(message))
    return ": check that it speaks MCP over stdin and stdout, or raise --timeout";
  return /ended with code/.test(message) && stderr.trim() === "" ? ": run it by itself to see why" : "";
}
