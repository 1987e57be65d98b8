/**
 * Writes runs as recordings that open in the workbench.
 *
 * @module
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { writeRun } from "@vitrine/workbench";
import { CliError } from "../exit.js";
import { save } from "../render/app-page.js";
import type { Cell } from "./eval-plan.js";
import type { RunOutcome } from "./eval-run.js";

/** A name for files. */
const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}._-]+/gu, "-")
    .replace(/^[-.]+|[-.]+$/g, "")
    .slice(0, 80) || "case";

/** The folder with the recordings of a command. */
export class RecordingFolder {
  readonly #folder: string;
  /** By case and model: two names may give the same file name. */
  readonly #names = new Map<Cell, string>();

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Makes the folder, before anything costs money.
   *
   * @throws {CliError} `file-unwritable`
   */
  static async open(folder: string): Promise<RecordingFolder> {
    await mkdir(folder, { recursive: true }).catch((cause: unknown) => {
      throw new CliError("file-unwritable", `${folder} cannot be made: ${Object(cause).code ?? cause}`, {
        cause,
      });
    });
    return new RecordingFolder(folder);
  }

  /** Writes a run. Returns its file. */
  async write(cell: Cell, run: number, outcome: RunOutcome): Promise<string> {
    const { items, apps, error } = outcome;
    const file = join(this.#folder, `${this.#nameOf(cell)}.${run}.vitrine.jsonl`);
    const header = {
      at: new Date().toISOString(),
      title: cell.evalCase.name,
      model: cell.model,
      run,
      outcome: outcome.outcome,
      reasons: error ? [`${error.message} (${error.code})`] : outcome.reasons,
    };
    await save(file, writeRun({ header, items, apps }));
    return file;
  }

  #nameOf(cell: Cell): string {
    const known = this.#names.get(cell);
    if (known !== undefined) return known;
    const wanted = `${slug(cell.evalCase.name)}.${slug(cell.model)}`;
    const taken = new Set(this.#names.values());
    let name = wanted;
    for (let at = 2; taken.has(name); at++) name = `${wanted}-${at}`;
    this.#names.set(cell, name);
    return name;
  }
}
