/**
 * One server for as long as a command needs it: the gateway's own connection, without a gateway around it.
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

/** What a command can do with a server. */
export interface Connected {
  readonly server: Server;
  /** Ctrl-C. */
  readonly signal: AbortSignal;
  /** The line that says what is waited for. */
  readonly waiting: Waiting;
}

/** Milliseconds that a server gets to end by itself. */
const GRACE = 1_000;

/**
 * Starts a server, does something with it, and ends it and all that it started.
 *
 * @param timeout milliseconds that it may take to start, and then to answer without a sign of life
 * @throws {CliError} one sentence, with the end of what the server wrote to stderr
 */
export function withServer<T>(
  settings: ServerSettings,
  { terminal, timeout }: { terminal: Terminal; timeout?: number | undefined },
  work: (connected: Connected) => Promise<T>,
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

/** What went wrong, with the server's name and its last words. */
function explain(error: unknown, { settings, status }: Server, timeout: number): unknown {
  // What the command itself found wrong is not the server's fault.
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

/** What to do, where the error does not say it and the server's last words do not either. */
function fixOf(message: string, stderr = ""): string {
  if (/the handshake within/.test(message))
    return ": see that it speaks MCP over stdin and stdout, or give it longer with --timeout";
  return /ended with code/.test(message) && stderr.trim() === "" ? ": run it by itself to see why" : "";
}
