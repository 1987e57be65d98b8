/**
 * What is wrong with a folder that was looked into. It concerns the tool or the view of that folder alone.
 *
 * @module
 */
import { DefinitionError, type DefinitionErrorCode } from "../errors.js";

/** Something that could not be offered. */
export interface DiscoveryProblem {
  /** Its path, from the folder that was looked through. */
  readonly file: string;
  /** From 1, where it is known. */
  readonly line?: number | undefined;
  readonly code: DefinitionErrorCode;
  /** What is wrong, with the field where it is one, and what to write. */
  readonly message: string;
}

/** A {@link DefinitionError} that knows where it is. */
export class FileError extends DefinitionError {
  readonly file: string;
  readonly line: number | undefined;

  constructor(
    code: DefinitionErrorCode,
    message: string,
    { file, line, cause }: { file: string; line?: number | undefined; cause?: unknown },
  ) {
    super(code, message, { cause });
    this.file = file;
    this.line = line;
  }
}

/** What goes wrong meanwhile is wrong with this file, unless it is known better. */
export async function inFile<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof DefinitionError) || cause instanceof FileError) throw cause;
    throw new FileError(cause.code, cause.message, { file, cause });
  }
}

/** An error as a problem of a file, unless it knows a better one. */
export function problemFrom(error: unknown, file: string): DiscoveryProblem {
  if (error instanceof FileError) {
    const { file: own, line, code, message } = error;
    return { file: own, ...(line !== undefined && { line }), code, message };
  }
  if (error instanceof DefinitionError) return { file, code: error.code, message: error.message };
  return { file, code: "tool-invalid", message: messageOf(error) };
}

/** What an error says, whatever was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A problem in one line, as compilers write it: editors and terminals make links of it. */
export const lineOf = ({ file, line, code, message }: DiscoveryProblem): string =>
  `${file}${line === undefined ? "" : `:${line}`}: ${message} (${code})`;
