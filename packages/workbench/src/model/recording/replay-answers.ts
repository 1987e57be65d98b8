/**
 * The answers of a recording, for an app that asks again.
 *
 * @module
 */

import { changeBetween } from "./compare.js";
import type { RunMessage } from "./recorded-run.js";
import { isRecord } from "./recording.js";

/** Finds what was answered then. */
export class Answers {
  readonly #questions: readonly RunMessage[];
  readonly #used = new Set<RunMessage>();

  constructor(run: readonly RunMessage[]) {
    this.#questions = run.filter(({ d, kind }) => d === "in" && kind === "request");
  }

  /**
   * The question of the recording that is the same as this one: with the same params, each at first once and in order;
   * or else with params that are the same but for what was taken out of them, or the next one of this method that is
   * about the same tool or resource.
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

/** What a question is about: another tool's answer is none. */
function subjectOf(params: unknown): string {
  const { name, uri } = Object(params) as { name?: unknown; uri?: unknown };
  return `${name ?? uri ?? ""}`;
}

/** One text for all ways to write the same params; `_meta` names the time, and not the question. */
export function keyOf(params: unknown): string {
  const ordered = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(ordered);
    if (!isRecord(value)) return value;
    const entries = Object.entries(value).filter(([key, part]) => key !== "_meta" && part !== undefined);
    return entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, part]) => [key, ordered(part)]);
  };
  return JSON.stringify(ordered(params ?? {}));
}
