/**
 * Questions of servers and apps to the user, besides approvals.
 *
 * @module
 */
import type { ElicitationAnswer, ElicitationQuestion, SamplingAnswer, SamplingQuestion } from "@vitrine/wire";
import { Observable } from "../observable.js";

/** A pending question. */
export interface PendingQuestion<Question, Answer> {
  readonly question: Question;
  /** Answers it and removes it. Only the first answer counts. */
  answer(result: Answer): void;
}

/** A server or an app asks for a completion of the model. */
export type PendingSampling = PendingQuestion<SamplingQuestion, SamplingAnswer>;
/** A server asks the user for input. */
export type PendingElicitation = PendingQuestion<ElicitationQuestion, ElicitationAnswer>;

/** A page that a server sent the user to; the server will report completion. */
export interface Visit {
  readonly id: string;
  readonly server: string;
  readonly url: string;
  /** The server's id. */
  readonly elicitationId: string;
  readonly isDone: boolean;
}

/** Maximum number of remembered visits. */
const MAX_VISITS = 5;

/** The pending questions, in order. */
export class Questions extends Observable {
  #sampling: readonly PendingSampling[] = [];
  #elicitations: readonly PendingElicitation[] = [];
  #visits: readonly Visit[] = [];
  #wereAsked = false;

  /** Whether there has been a question: until then, nothing about questions is in the page. */
  get wereAsked(): boolean {
    return this.#wereAsked;
  }

  get sampling(): readonly PendingSampling[] {
    return this.#sampling;
  }

  get elicitations(): readonly PendingElicitation[] {
    return this.#elicitations;
  }

  /** The pages that the user was sent to, newest last. */
  get visits(): readonly Visit[] {
    return this.#visits;
  }

  /** A server reports completion. Unknown ids belong to another page. */
  completed({ server, elicitationId }: Pick<Visit, "server" | "elicitationId">): void {
    this.#setVisits(
      this.#visits.map((visit) =>
        visit.server === server && visit.elicitationId === elicitationId ? { ...visit, isDone: true } : visit,
      ),
    );
  }

  /** The user dismissed it. */
  dismiss(id: string): void {
    this.#setVisits(this.#visits.filter((visit) => visit.id !== id));
  }

  /** Asks whether the model may be used for this. Aborting the signal removes the question. */
  sample(question: SamplingQuestion, signal: AbortSignal): Promise<SamplingAnswer> {
    return this.#ask<SamplingQuestion, SamplingAnswer>(question, signal, (change) => {
      this.#sampling = change(this.#sampling);
    });
  }

  /** Asks the user for input. Aborting the signal removes the question. */
  async elicit(question: ElicitationQuestion, signal: AbortSignal): Promise<ElicitationAnswer> {
    const answer = await this.#ask<ElicitationQuestion, ElicitationAnswer>(question, signal, (change) => {
      this.#elicitations = change(this.#elicitations);
    });
    if (answer.action === "accept") this.#visit(question);
    return answer;
  }

  /** Only with an id can the server report completion. */
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
      this.#wereAsked = true;
      signal.addEventListener("abort", withdrawn);
      // After a lost connection the gateway asks again: the same question is shown once.
      update((pending) => [...pending.filter((each) => each.question.id !== question.id), mine]);
      this.changed();
    });
  }
}
