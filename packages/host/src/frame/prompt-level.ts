/**
 * The choice in a question of how often the user is asked about a server's apps.
 *
 * @module
 */
import type { AskLevel } from "@vitrine/guard";
import { promptWords } from "../words.js";
import { make } from "./chrome.js";

/** The levels, from the one with the most questions. */
const LEVELS: readonly AskLevel[] = ["always", "changes", "important"];

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
  const { howOften, levels } = promptWords();
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
      levels[each],
    ),
  );
  return {
    element: make("details", { part: "level" }, make("summary", howOften), ...radios),
    chosen: () => (level === now ? undefined : level),
    isFewer: () => LEVELS.indexOf(level) > LEVELS.indexOf(now),
  };
}
