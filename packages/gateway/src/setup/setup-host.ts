/**
 * The program that runs a gateway, as far as it lets pages change the settings file.
 *
 * @module
 */
import type { ReadOptions } from "../config/read.js";

/** A server of the settings file, as it is written there. */
export type WrittenEntry = Readonly<Record<string, unknown>>;

/** A change that a page asked for, and that only the user at the terminal may allow. */
export interface AskedChange {
  readonly name: string;
  readonly change: "add" | "edit" | "enable";
  /** The complete server, exactly as it would be written. */
  readonly entry: WrittenEntry;
}

/** Lets pages change the settings file. Without it, a gateway has no such requests. */
export interface SetupHost {
  /** The file that changes go to. It need not exist. */
  readonly file: string;
  /** The folder in which relative paths of new programs start; that of the file if absent. */
  readonly folder?: string | undefined;
  /** Why that file is not changed. */
  readonly readOnly?: string | undefined;
  /** How the file is read: variables, overrides, and the isolation of programs. */
  readonly reading: Omit<ReadOptions, "file" | "onskip" | "approve" | "secrets">;
  /** Whether there is a terminal to ask in. */
  readonly canAsk: boolean;
  /** Everything that the user must see before the answer, one value a line; undefined if it is too long. */
  lines(change: AskedChange): readonly string[] | undefined;
  /** The command line that makes the same change; undefined if it cannot be written safely. */
  command(change: AskedChange): string | undefined;
  /** Asks in the terminal. A page cannot answer this question. */
  confirm(change: AskedChange, signal: AbortSignal): Promise<boolean>;
  /** Whether the text of the file is one that the user has approved; a gateway writes to no other. */
  isApproved(text: string): Promise<boolean>;
  /**
   * Called with the written text. Resolves when it is in force. `isNew`: the user allowed this server, or it was
   * added; only then may a run that uses some servers of the file start to use it too.
   */
  written(text: string, name: string, isNew: boolean): Promise<void>;
  /** Files of other programs of this machine that have servers, most of which do not exist. */
  importPlaces(): readonly { readonly program: string; readonly path: string }[];
}
