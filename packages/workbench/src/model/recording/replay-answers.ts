/**
 * The answers of a recording, for an app that sends its requests again.
 *
 * @module
 */

import { isRecord, recordOf } from "@vitrine/protocol";
import { changeBetween } from "./compare.js";
import type { RunMessage } from "./recorded-run.js";

/** Finds the recorded answers. */
export class Answers {
  readonly #questions: readonly RunMessage[];
  readonly #used = new Set<RunMessage>();

  constructor(run: readonly RunMessage[]) {
    this.#questions = run.filter(({ d, kind }) => d === "in" && kind === "request");
  }

  /**
   * The matching recorded request: with the same params, each first once and in order; otherwise with params
   * that differ only in redacted values, or the next one of this method for the same tool or resource.
   */
  find(method: string, params: unknown): RunMessage | undefined {
    const wanted = keyOf(params);
    const subject = subjectOf(params);
    const same = this.#questions.filter((question) => question.method === method);
    const exact = same.filter((question) => keyOf(question.params) === wanted);
    const found =
      exact.find((question) => !this.#used.has(question)) ??
      exact.at(-1) ??
      same.find(
        (question) => !this.#used.has(question) && changeBetween(question.params, params) === undefined,
      ) ??
      same.find((question) => !this.#used.has(question) && subjectOf(question.params) === subject);
    if (found) this.#used.add(found);
    return found;
  }
}

/** The subject of a request: answers about another tool do not match. */
function subjectOf(params: unknown): string {
  const { name, uri } = recordOf(params);
  return `${name ?? uri ?? ""}`;
}

/** A canonical text for equal params; `_meta` is ignored. */
export function keyOf(params: unknown): string {
  const ordered = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(ordered);
    if (!isRecord(value)) return value;
    const entries = Object.entries(value).filter(([key, part]) => key !== "_meta" && part !== undefined);
    return entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, part]) => [key, ordered(part)]);
  };
  return JSON.stringify(ordered(params ?? {}));
}
