/**
 * How the command ends: a code for scripts, a sentence for people.
 *
 * @module
 */
import { VitrineError } from "@vitrine/protocol";

/** Exit codes; docs/cli.md lists them. */
export const EXIT = {
  ok: 0,
  /** It was understood, and it did not work. */
  failed: 1,
  /** The command line is wrong. */
  usage: 2,
  /** Ctrl-C. */
  interrupted: 130,
  /** SIGTERM. */
  terminated: 143,
} as const;

/** What a {@link CliError} can carry. */
export interface CliErrorOptions {
  readonly exit?: number | undefined;
  /** The end of what the server wrote to stderr. */
  readonly stderr?: string | undefined;
  readonly cause?: unknown;
}

/** Something that a person reads: one sentence that says what to do, and a word for programs that never changes. */
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

/** The command line is wrong. */
export const usage = (message: string): CliError => new CliError("usage", message, { exit: EXIT.usage });

/** Any error as one that a person can read; undefined for a fault of ours, which keeps its stack. */
export function told(error: unknown): CliError | undefined {
  if (error instanceof CliError) return error;
  // A file or a port that the system does not give: its own words name it.
  if (error instanceof Error && "syscall" in error)
    return new CliError("system", error.message, { cause: error });
  if (!(error instanceof VitrineError)) return undefined;
  // The gateway's errors have a word of their own; the others are what a server answered, or did not.
  const { code, stderr } = Object(error.data);
  // A server may answer with any data: what is no word is none of ours.
  const isWord = typeof code === "number" || (typeof code === "string" && /^[\w-]+$/.test(code));
  return new CliError(`${isWord ? code : error.code}`, error.message, {
    cause: error,
    ...(typeof stderr === "string" && { stderr }),
  });
}
