/**
 * Notes for the user in a conversation: their texts, and how they are added.
 *
 * @module
 */
import type { Clock } from "@vitrine/servers/support";
import type { NoteItem, SpeakingApp } from "@vitrine/wire";
import type { ModelAnswer } from "./answer.js";
import { newItemId } from "./item-id.js";
import type { Journal } from "./journal.js";
import type { Repetition } from "./repetition.js";

/** Maximum characters of a server's explanation. */
const LONGEST_WHY = 300;
const GO_ON = "Send a message to continue.";

/** A turn reached a limit. */
export const LIMIT_NOTES = {
  rounds: (rounds: number): string =>
    `The model was asked ${rounds} times in this turn, and would have called more tools. ${GO_ON}`,
  tokens: (tokens: number): string =>
    `This turn has used more than ${tokens.toLocaleString("en")} tokens. ${GO_ON}`,
  seconds: (seconds: number): string =>
    `This turn took more than ${seconds} seconds, and was stopped. ${GO_ON}`,
  "model-repeats":
    "The model made the same call three times, and it failed each time. Tell it how to continue.",
  "model-loops":
    "The model made the same call with the same result again and again. Tell it how to continue.",
} as const satisfies Record<Repetition, string> & Record<string, unknown>;

/** An answer ended in an unusual way. */
export const STRANGE_ENDS: { readonly [R in ModelAnswer["reason"]]?: { code: string; text: string } } = {
  length: {
    code: "model-length",
    text: "The answer reached the model's maximum length, and was cut off. Ask it to continue.",
  },
  filtered: {
    code: "model-filtered",
    text: "The provider's content filter blocked the answer. Rephrase the question.",
  },
};

/** The model sent neither text nor calls. */
export const EMPTY_ANSWER = "The answer is empty: the model sent no text. Retry, or rephrase the question.";

/** The model will be asked again. */
export const waitingNote = (milliseconds: number, why: string): string =>
  `The model cannot answer now: ${why}. Retrying in ${Math.ceil(milliseconds / 1_000)} seconds.`;

/** The tools of some servers are missing in the request. */
export function toolsMissing(missing: readonly (readonly [server: string, why: string])[]): string {
  const whose = missing.length === 1 ? "this server" : "these servers";
  const each = missing.map(([server, why]) => `${server} (${why.slice(0, LONGEST_WHY)})`);
  return `The model was asked without the tools of ${whose}: ${each.join("; ")}. Check the servers, then send the message again.`;
}

/** All tools are missing in the request. */
export const allToolsMissing = (why: string): string =>
  `The model was asked without the servers' tools: ${why}. Check the servers, then send the message again.`;

/** A message gets no answer, or an incomplete one. */
export const UNANSWERED = {
  "model-gone":
    "The model is no longer available, so this message was not answered. Choose a model, then send it again.",
  stopping: "The gateway was stopped before the model had finished. Send a message to continue.",
} as const;

/** The model that the user chose for the conversation does not answer. */
const modelUnavailable = (id: string): string =>
  `The model ${id} of this conversation is not available. Choose another one above the conversation, then send the message again.`;

/** The conversation is full. */
export const conversationFull = (why: string): string => `The model cannot continue: ${why}.`;

/** A result was dropped. */
const RESULTS_DROPPED =
  "Results that are too large to be stored are kept in memory while there is space. The oldest have been dropped, as their entries show. Call a tool again if you need its result.";

export const appFlood = (title: string, what: string): string =>
  `The app ${JSON.stringify(title)} ${what}. Its further messages are rejected for now.`;

export const notSaved = (why: string): string =>
  `The conversation is not being saved: ${why}. Saving is retried; until it succeeds, a restart of the gateway loses the changes.`;

/** Adds notes to a conversation, some of them only once. */
export class NoteWriter {
  readonly #journal: Journal;
  readonly #clock: Pick<Clock, "now">;
  #areDroppedReported = false;

  constructor(journal: Journal, clock: Pick<Clock, "now">) {
    this.#journal = journal;
    this.#clock = clock;
  }

  readonly add = (level: NoteItem["level"], code: string, text: string): NoteItem => {
    const note: NoteItem = { kind: "note", id: newItemId(), at: this.#clock.now(), level, code, text };
    this.#journal.add(note);
    return note;
  };

  /** Adds the note once; each entry also shows it. */
  resultsDropped(): void {
    if (!this.#areDroppedReported) this.add("info", "results-dropped", RESULTS_DROPPED);
    this.#areDroppedReported = true;
  }

  /**
   * Adds the note once; it is the same for all messages.
   *
   * @param chosen the model of this conversation, which is not available
   */
  noModel(chosen: string | undefined, help: string): void {
    const text = chosen === undefined ? help : modelUnavailable(chosen);
    const isSaid = this.#journal.items.some(
      (item) =>
        item.kind === "note" && item.code === "no-model" && (chosen === undefined || item.text === text),
    );
    if (!isSaid) this.add("info", "no-model", text);
  }

  contextFlood({ title }: SpeakingApp): void {
    this.add("warning", "app-flood", appFlood(title, "updates its model context too often"));
  }
}
