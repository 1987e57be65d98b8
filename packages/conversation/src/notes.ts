/**
 * What a person is told, beside what is said.
 *
 * @module
 */
import type { Answer } from "./answer.js";
import type { Repetition } from "./repetition.js";

/** Characters of what a server says is wrong with it. */
const LONGEST_WHY = 300;
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

/** The model ended its answer without text or calls. */
export const EMPTY_ANSWER =
  "The answer is empty: the model ended it without a word. Retry, or ask in another way.";

/** That the model is asked again. */
export const waitingNote = (milliseconds: number, why: string): string =>
  `The model cannot answer now: ${why}. It is asked again in ${Math.ceil(milliseconds / 1_000)} seconds.`;

/** That the model does not know of the tools of some servers, and why. */
export function toolsMissing(missing: readonly (readonly [server: string, why: string])[]): string {
  const whose = missing.length === 1 ? "this server" : "these servers";
  const each = missing.map(([server, why]) => `${server} (${why.slice(0, LONGEST_WHY)})`);
  return `The model was asked without the tools of ${whose}: ${each.join("; ")}. Look at the servers, then send the message again.`;
}

/** That no tool is known at all. */
export const allToolsMissing = (why: string): string =>
  `The model was asked without the servers' tools: ${why}. Look at the servers, then send the message again.`;

/** That what was said gets no answer, or no more of one. */
export const UNANSWERED = {
  "model-gone":
    "There is no model any more, so that this was not answered. Choose a model, then send it again.",
  stopping: "The gateway was stopped before the model was done. Send a message to let it go on.",
} as const;

/** That there is no room for more of an answer. */
export const conversationFull = (why: string): string => `The model is not asked any more: ${why}.`;

/** That a result is not there any more. */
export const RESULTS_DROPPED =
  "Results that are too large to be kept are held while there is room: the oldest are gone, and their entries say so. Call a tool again, if you need its result.";

export const appFlood = (title: string, what: string): string =>
  `The app ${JSON.stringify(title)} ${what}. What it says for now is refused.`;

export const notSaved = (why: string): string =>
  `What is said now is not kept: ${why}. It is tried again; until then a restart of the gateway loses it.`;
