/**
 * What a person is told, beside what is said.
 *
 * @module
 */
import type { Answer } from "./answer.js";
import type { Repetition } from "./repetition.js";

const GO_ON = "Send a message to let it go on.";

/** That a limit of a turn was reached. */
export const LIMIT_NOTES = {
  rounds: (rounds: number): string =>
    `The model was asked ${rounds} times in this turn, and wanted to go on calling tools. ${GO_ON}`,
  tokens: (tokens: number): string =>
    `This turn has used more than ${tokens.toLocaleString("en")} tokens. ${GO_ON}`,
  seconds: (seconds: number): string =>
    `This turn took more than ${seconds} seconds, and was stopped. ${GO_ON}`,
  "model-repeats": "The model made the same call three times, and it failed each time. Say how to go on.",
  "model-loops": "The model made the same call with the same result again and again. Say how to go on.",
} as const satisfies Record<Repetition, string> & Record<string, unknown>;

/** That an answer ended otherwise than it should. */
export const STRANGE_ENDS: { readonly [R in Answer["reason"]]?: { code: string; text: string } } = {
  length: {
    code: "model-length",
    text: "The answer is as long as the model can write, and was cut off. Ask it to go on.",
  },
  filtered: {
    code: "model-filtered",
    text: "The provider held the answer back: its filter did not let it pass. Ask in another way.",
  },
};

/** That the model is asked again. */
export const waitingNote = (milliseconds: number, why: string): string =>
  `The model cannot answer now: ${why}. It is asked again in ${Math.ceil(milliseconds / 1_000)} seconds.`;

export const toolsMissing = (why: string): string =>
  `The model was asked without the servers' tools: ${why}. Look at the servers, then send the message again.`;

export const appFlood = (title: string, what: string): string =>
  `The app ${JSON.stringify(title)} ${what}. What it says for now is refused.`;

export const notSaved = (why: string): string =>
  `What is said now is not kept: ${why}. It is tried again; until then a restart of the gateway loses it.`;
