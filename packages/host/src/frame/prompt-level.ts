/**
 * The choice in a question of how often the user is asked about a server's apps.
 *
 * @module
 */
import type { AskLevel } from "@vitrine/guard";
import { make } from "./chrome.js";

/** The levels, from the one with the most questions. */
const WORDS: Readonly<Record<AskLevel, string>> = {
  always: "Always: before every action",
  changes: "Changes only: before every call that may change something",
  important: "Important only: approvals are remembered",
};
const LEVELS = Object.keys(WORDS) as AskLevel[];

/** Number of choices so far: radio buttons with the same name belong together, in all questions of a frame. */
let choices = 0;

/** The choice. */
export interface LevelChoice {
  readonly element: HTMLElement;
  /** The chosen level, if it is another one. */
  chosen(): AskLevel | undefined;
  /** Whether the user will be asked less often. */
  isFewer(): boolean;
}

/** Builds the choice, folded. */
export function levelChoice(now: AskLevel, onchange: () => void): LevelChoice {
  let level = now;
  const name = `level-${++choices}`;
  const radios = LEVELS.map((each) =>
    make(
      "label",
      {},
      make("input", {
        type: "radio",
        name,
        checked: each === now,
        onchange: () => {
          level = each;
          onchange();
        },
      }),
      WORDS[each],
    ),
  );
  return {
    element: make("details", { part: "level" }, make("summary", "How often to ask"), ...radios),
    chosen: () => (level === now ? undefined : level),
    isFewer: () => LEVELS.indexOf(level) > LEVELS.indexOf(now),
  };
}
