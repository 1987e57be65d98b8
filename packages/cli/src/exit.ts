/**
 * Exit codes for scripts, and messages for users.
 *
 * @module
 */
import { VitrineError } from "@vitrine/protocol";

/** Exit codes; docs/cli.md lists them. */
export const EXIT = {
  ok: 0,
  /** The command was valid but failed. */
  failed: 1,
  /** The command line is invalid. */
  usage: 2,
  /** Ctrl-C. */
  interrupted: 130,
  /** SIGTERM. */
  terminated: 143,
} as const;

/** Options of {@link CliError}. */
export interface CliErrorOptions {
  readonly exit?: number | undefined;
  /** The end of the server's stderr. */
  readonly stderr?: string | undefined;
  readonly cause?: unknown;
}

/** An error for the user: a message with the solution, and a stable code for programs. */
export class CliError extends Error {
  readonly code: string;
  readonly exit: number;
  readonly stderr: string | undefined;

  constructor(code: string, message: string, options: CliErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = "CliError";
    this.code = code;
    this.exit = options.exit ?? EXIT.failed;
    this.stderr = options.stderr;
  }
}

/** An invalid command line. */
export const usage = (message: string): CliError => new CliError("usage", message, { exit: EXIT.usage });

/** Converts an error to one for the user; undefined for an internal error, which keeps its stack. */
export function told(error: unknown): CliError | undefined {
  if (error instanceof CliError) return error;
  // A system error about a file or port; its message names it.
  if (error instanceof Error && "syscall" in error)
    return new CliError("system", error.message, { cause: error });
  if (!(error instanceof VitrineError)) return undefined;
  // The gateway's errors have their own code; others are a server's answer, or its absence.
  const { code, stderr } = Object(error.data);
  // A server may answer with any data, so only plain words are accepted as a code.
  const isWord = typeof code === "number" || (typeof code === "string" && /^[\w-]+$/.test(code));
  return new CliError(`${isWord ? code : error.code}`, error.message, {
    cause: error,
    ...(typeof stderr === "string" && { stderr }),
  });
}
