/**
 * Detects a model that repeats itself.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { sizeOf } from "@vitrine/guard";
import type { CallItem } from "@vitrine/wire";
import { resultText } from "./result-text.js";

/** Limits: consecutive identical calls that fail, and identical calls with the same result in one turn. */
const SAME_FAILURES = 3;
const SAME_RESULTS = 6;
/** Characters of a result that are compared. */
const COMPARED = 10_000;

/** Why a turn should end. */
export type Repetition = "model-repeats" | "model-loops";

/** Remembers the calls of a turn. */
export class Repetitions {
  #failing: string | undefined;
  #failures = 0;
  readonly #seen = new Map<string, number>();

  /** Adds calls that have ended, in order. */
  add(calls: readonly CallItem[]): Repetition | undefined {
    for (const call of calls) {
      const asked = askedOf(call);
      const { text, isError } = resultText(call, COMPARED);
      if (!isError || call.state === "cancelled") this.#failing = undefined;
      else {
        this.#failures = asked === this.#failing ? this.#failures + 1 : 1;
        this.#failing = asked;
        if (this.#failures >= SAME_FAILURES) return "model-repeats";
      }
      const done = digest(`${asked}\n${text}`);
      const count = (this.#seen.get(done) ?? 0) + 1;
      this.#seen.set(done, count);
      if (count >= SAME_RESULTS) return "model-loops";
    }
    return undefined;
  }
}

/** The request of a call; arguments that were not JSON count as none. */
const askedOf = ({ server, tool, app, input }: CallItem): string => {
  const isLarge = sizeOf(input, 1_000_000) > 1_000_000;
  return digest(JSON.stringify([server, tool, app?.item, isLarge ? sizeOf(input, 100_000_000) : input]));
};

const digest = (text: string): string => createHash("sha256").update(text).digest("base64");
