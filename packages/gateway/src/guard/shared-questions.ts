/**
 * One answer for all who ask the same.
 *
 * @module
 */
import type { Answer, Ask, Question } from "@vitrine/guard";

/** An open question. */
interface Open {
  readonly session: string;
  tell(answer: Answer): void;
}

/**
 * Asks as `ask` does; an answer that is remembered answers every open question that it is remembered for, and takes
 * those off the screen. So several views of a server that ask at once are one click.
 *
 * @param keyOf what an answer is kept by; undefined for what is never remembered
 */
export function shareAnswers(
  ask: Ask,
  keyOf: (question: Question) => Promise<string | undefined>,
  sessionOf: (view: string) => string,
): Ask {
  const open = new Map<string, Set<Open>>();
  return async (question, signal) => {
    const key = await keyOf(question);
    if (key === undefined) return ask(question, signal);
    const settled = new AbortController();
    const same = open.get(key) ?? new Set<Open>();
    open.set(key, same);
    const session = sessionOf(question.view);
    let own: Open | undefined;
    const told = new Promise<Answer>((tell) => {
      own = { session, tell };
      same.add(own);
    });
    try {
      const asked = (async () => ask(question, AbortSignal.any([signal, settled.signal])))();
      const answer = await Promise.race([told, asked]);
      const { remember } = answer;
      for (const other of same) {
        // What is remembered is written by the one who was answered.
        if (other !== own && (remember === "always" || (remember === "session" && other.session === session)))
          other.tell({ answer: answer.answer });
      }
      return answer;
    } finally {
      if (own) same.delete(own);
      if (same.size === 0) open.delete(key);
      settled.abort();
    }
  };
}
