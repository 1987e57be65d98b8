/**
 * Asks the user before it uses a settings file that came with a folder, because the file can start any
 * program and send any variable.
 *
 * @module
 */
import { readSettings } from "@vitrine/gateway";
import type { Surroundings } from "../config-places.js";
import { CliError } from "../exit.js";
import type { Terminal } from "../terminal.js";
import { ApprovedFiles } from "./approved-files.js";
import { contentLines, fileValues } from "./file-content.js";
import { marked, visible } from "./visible-text.js";

/** Maximum lines that a user can be expected to read. */
const MOST_LINES = 200;

/** Options of {@link FileTrust}. */
export interface FileTrustOptions {
  readonly terminal: Terminal;
  readonly at: Surroundings;
  /** `--data`: the folder for the user's own files. */
  readonly data?: string | undefined;
  /** Ctrl-C. */
  readonly signal?: AbortSignal | undefined;
}

/** Decides whether a file may be used. */
export interface TrustsFiles {
  /** Whether this content was approved. Never asks. */
  isApproved(file: string, text: string): Promise<boolean>;
  /**
   * Resolves if it may be used, now or from an earlier approval.
   *
   * @throws {CliError} `config-untrusted`
   */
  approve(file: string, text: string): Promise<void>;
}

/** The user's answers, in this terminal and earlier. */
export class FileTrust implements TrustsFiles {
  readonly #options: FileTrustOptions;
  #approved: Promise<ApprovedFiles> | undefined;

  constructor(options: FileTrustOptions) {
    this.#options = options;
  }

  async isApproved(file: string, text: string): Promise<boolean> {
    return (await this.#files()).has(file, text);
  }

  async approve(file: string, text: string): Promise<void> {
    const approved = await this.#files();
    if (await approved.has(file, text)) return;
    const { terminal, signal } = this.#options;
    const shown = visible(file);
    const lines = contentLines(valuesOf(file, text)).flatMap((line) => marked(line, terminal.noteColumns));
    if (lines.length > MOST_LINES)
      throw refused(`${shown} came with the folder, and is too long to show (${lines.length} lines)`, file);
    const intro = [`${shown} came with the folder. You have not approved what is in it:`, ...lines];
    if (!terminal.canAsk) {
      for (const line of intro) terminal.note(line);
      throw refused(`${shown} is not approved, and there is no terminal to ask in`, file);
    }
    const question = "Approve this file until it changes? Its programs run with your rights.";
    if (!(await terminal.confirm(intro, question, signal))) throw refused(`${shown} was not approved`, file);
    await approved.add(file, text).catch((error: unknown) => {
      terminal.note(`the approval holds for this run only: ${String(error)}`);
    });
  }

  /** Remembers a text that the user has written with Vitrine itself. */
  async accept(file: string, text: string): Promise<void> {
    await (await this.#files()).add(file, text).catch((error: unknown) => {
      this.#options.terminal.note(`the approval holds for this run only: ${String(error)}`);
    });
  }

  /** Always the user's folder, whatever the file says. */
  #files(): Promise<ApprovedFiles> {
    const { at, data } = this.#options;
    this.#approved ??= readSettings(
      {},
      { env: { ...at.env, HOME: at.home }, overrides: data === undefined ? {} : { dataFolder: data } },
    ).then(({ dataFolder }) => new ApprovedFiles(dataFolder));
    return this.#approved;
  }
}

/**
 * The contents of a file.
 *
 * @throws {CliError} `config-invalid` if it is not JSON
 */
export function valuesOf(file: string, text: string): ReturnType<typeof fileValues> {
  try {
    return fileValues(text);
  } catch (error) {
    throw new CliError(
      "config-invalid",
      `${file}: ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
      },
    );
  }
}

const refused = (why: string, file: string): CliError =>
  new CliError(
    "config-untrusted",
    `${why}: nothing in it was used. Read the file; to use it, run the command in a terminal and answer y, or name it with --config ${visible(file)}`,
  );
