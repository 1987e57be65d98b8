/**
 * Shares an answer among identical questions.
 *
 * @module
 */
import type { Ask, ConsentAnswer, Question } from "@vitrine/guard";

/** An open question. */
interface Open {
  readonly session: string;
  resolve(answer: ConsentAnswer): void;
}

/**
 * Asks like `ask`. A remembered answer also answers every open question that it covers, and removes those
 * from the screen, so that several views of a server that ask at once need one click.
 *
 * @param keyOf the key of a remembered answer; undefined if it is never remembered
 */
export function shareAnswers(
  ask: Ask,
  keyOf: (question: Question) => Promise<string | undefined>,
  sessionOf: (question: Question) => string,
): Ask {
  const open = new Map<string, Set<Open>>();
  return async (question, signal) => {
    const key = await keyOf(question);
    if (key === undefined) return ask(question, signal);
    const settled = new AbortController();
    const same = open.get(key) ?? new Set<Open>();
    open.set(key, same);
    const session = sessionOf(question);
    let own: Open | undefined;
    const shared = new Promise<ConsentAnswer>((resolve) => {
      own = { session, resolve };
      same.add(own);
    });
    try {
      const asked = (async () => ask(question, AbortSignal.any([signal, settled.signal])))();
      const answer = await Promise.race([shared, asked]);
      const { remember } = answer;
      for (const other of same) {
        // The one that was answered stores the remembered answer.
        if (other !== own && (remember === "always" || (remember === "session" && other.session === session)))
          other.resolve({ answer: answer.answer });
      }
      return answer;
    } finally {
      if (own) same.delete(own);
      if (same.size === 0) open.delete(key);
      settled.abort();
    }
  };
}
