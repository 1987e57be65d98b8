/**
 * What servers and apps want to know of the person, beside whether they may do something.
 *
 * @module
 */
import type {
  ElicitationAnswer,
  ElicitationQuestion,
  SamplingAnswer,
  SamplingQuestion,
} from "@vitrine/protocol";
import { Observable } from "./observable.js";

/** A question that waits for the person. */
export interface PendingQuestion<Question, Answer> {
  readonly question: Question;
  /** Answers it. It is not asked any more then, and a second answer is none. */
  answer(result: Answer): void;
}

/** A server, or an app, wants the model to say something. */
export type PendingSampling = PendingQuestion<SamplingQuestion, SamplingAnswer>;
/** A server wants to know something of the person. */
export type PendingElicitation = PendingQuestion<ElicitationQuestion, ElicitationAnswer>;

/** The questions that wait, in the order in which they came. */
export class Questions extends Observable {
  #sampling: readonly PendingSampling[] = [];
  #elicitations: readonly PendingElicitation[] = [];

  get sampling(): readonly PendingSampling[] {
    return this.#sampling;
  }

  get elicitations(): readonly PendingElicitation[] {
    return this.#elicitations;
  }

  /** Asks whether the model may be asked this. The question goes when the signal is aborted. */
  sample(question: SamplingQuestion, signal: AbortSignal): Promise<SamplingAnswer> {
    return this.#ask<SamplingQuestion, SamplingAnswer>(question, signal, (change) => {
      this.#sampling = change(this.#sampling);
    });
  }

  /** Asks what a server wants to know. The question goes when the signal is aborted. */
  elicit(question: ElicitationQuestion, signal: AbortSignal): Promise<ElicitationAnswer> {
    return this.#ask<ElicitationQuestion, ElicitationAnswer>(question, signal, (change) => {
      this.#elicitations = change(this.#elicitations);
    });
  }

  #ask<Question extends { id: string }, Answer>(
    question: Question,
    signal: AbortSignal,
    update: (
      change: (
        pending: readonly PendingQuestion<Question, Answer>[],
      ) => readonly PendingQuestion<Question, Answer>[],
    ) => void,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        signal.removeEventListener("abort", withdrawn);
        update((pending) => pending.filter((each) => each !== mine));
        this.changed();
      };
      const withdrawn = (): void => {
        leave();
        reject(signal.reason);
      };
      const mine: PendingQuestion<Question, Answer> = {
        question,
        answer: (result) => {
          leave();
          resolve(result);
        },
      };
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener("abort", withdrawn);
      // The gateway asks again after a lost connection: it is the same question, and is shown once.
      update((pending) => [...pending.filter((each) => each.question.id !== question.id), mine]);
      this.changed();
    });
  }
}
