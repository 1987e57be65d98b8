/**
 * Problems of a folder. Each concerns only the tool or view in that folder.
 *
 * @module
 */
import { DefinitionError, type DefinitionErrorCode } from "../errors.js";

/** A tool or view that cannot be offered. */
export interface DiscoveryProblem {
  /** Path, relative to the root folder. */
  readonly file: string;
  /** Line from 1, if known. */
  readonly line?: number | undefined;
  readonly code: DefinitionErrorCode;
  /** Explains the mistake, with the field, and what to write instead. */
  readonly message: string;
}

/** A {@link DefinitionError} with a location. */
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

/** Attributes errors to this file, unless they already have a location. */
export async function inFile<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof DefinitionError) || cause instanceof FileError) throw cause;
    throw new FileError(cause.code, cause.message, { file, cause });
  }
}

/** Converts an error to a problem of a file, unless it already has a location. */
export function problemFrom(error: unknown, file: string): DiscoveryProblem {
  if (error instanceof FileError) {
    const { file: own, line, code, message } = error;
    return { file: own, ...(line !== undefined && { line }), code, message };
  }
  if (error instanceof DefinitionError) return { file, code: error.code, message: error.message };
  return { file, code: "tool-invalid", message: messageOf(error) };
}

/** The message of any thrown value. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A problem on one line, in the format of compilers, which editors and terminals turn into links. */
export const lineOf = ({ file, line, code, message }: DiscoveryProblem): string =>
  `${file}${line === undefined ? "" : `:${line}`}: ${message} (${code})`;
