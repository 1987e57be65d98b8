/**
 * What servers and apps want to know of the person, beside whether they may do something.
 *
 * @module
 */
import type { ElicitationAnswer, ElicitationQuestion, SamplingAnswer, SamplingQuestion } from "@vitrine/wire";
import { Observable } from "../observable.js";

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

/** A page that a server sent the person to, and will say of when it has what it wanted. */
export interface Visit {
  readonly id: string;
  readonly server: string;
  readonly url: string;
  /** The server's name for it. */
  readonly elicitationId: string;
  readonly isDone: boolean;
}

/** Visits that are remembered: who never comes back to some does not have a list of them. */
const MAX_VISITS = 5;

/** The questions that wait, in the order in which they came. */
export class Questions extends Observable {
  #sampling: readonly PendingSampling[] = [];
  #elicitations: readonly PendingElicitation[] = [];
  #visits: readonly Visit[] = [];

  get sampling(): readonly PendingSampling[] {
    return this.#sampling;
  }

  get elicitations(): readonly PendingElicitation[] {
    return this.#elicitations;
  }

  /** The pages that the person was sent to, the newest at the end. */
  get visits(): readonly Visit[] {
    return this.#visits;
  }

  /** A server has what it sent the person away for. Of what this page did not ask, another one did. */
  completed({ server, elicitationId }: Pick<Visit, "server" | "elicitationId">): void {
    this.#setVisits(
      this.#visits.map((visit) =>
        visit.server === server && visit.elicitationId === elicitationId ? { ...visit, isDone: true } : visit,
      ),
    );
  }

  /** The person does not want to read of it any more. */
  dismiss(id: string): void {
    this.#setVisits(this.#visits.filter((visit) => visit.id !== id));
  }

  /** Asks whether the model may be asked this. The question goes when the signal is aborted. */
  sample(question: SamplingQuestion, signal: AbortSignal): Promise<SamplingAnswer> {
    return this.#ask<SamplingQuestion, SamplingAnswer>(question, signal, (change) => {
      this.#sampling = change(this.#sampling);
    });
  }

  /** Asks what a server wants to know. The question goes when the signal is aborted. */
  async elicit(question: ElicitationQuestion, signal: AbortSignal): Promise<ElicitationAnswer> {
    const answer = await this.#ask<ElicitationQuestion, ElicitationAnswer>(question, signal, (change) => {
      this.#elicitations = change(this.#elicitations);
    });
    if (answer.action === "accept") this.#visit(question);
    return answer;
  }

  /** Only where the server has a name for it can it say that it is done. */
  #visit(question: ElicitationQuestion): void {
    if (question.mode !== "url" || question.elicitationId === undefined) return;
    const { id, server, url, elicitationId } = question;
    const others = this.#visits.filter((each) => each.id !== id);
    this.#setVisits([...others, { id, server, url, elicitationId, isDone: false }].slice(-MAX_VISITS));
  }

  #setVisits(visits: readonly Visit[]): void {
    this.#visits = visits;
    this.changed();
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
