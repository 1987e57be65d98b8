/**
 * Asking a person, and remembering the answer.
 *
 * @module
 */
import type { Tool } from "@vitrine/protocol";
import type { WebLink } from "../link-policy.js";
import { canonical } from "./canonical.js";
import { fairGate } from "./concurrency.js";
import { takenBack } from "./refusal.js";

/** What an answer is remembered by. */
export interface ConsentKey {
  readonly server: string;
  readonly method: string;
  /** The tool's name, or the link's host; empty for what has neither. */
  readonly subject: string;
  /** What the tool was when the person agreed. When it is another, there is no answer (attack C23). */
  readonly fingerprint: string;
}

/** A question to a person, with everything that a prompt must show. */
export interface Question extends ConsentKey {
  readonly view: string;
  /** What the tool calls itself, or the host in full; never show it without `server` and `subject`. */
  readonly title: string;
  /** What exactly is to be done: the arguments, the files, the messages. */
  readonly params: Record<string, unknown>;
  readonly tool?: Tool | undefined;
  /** The link in the form that will be opened, and its host as it is and as it reads (attack C14). */
  readonly link?: WebLink | undefined;
  /** Names under which files will be saved, each with a warning if it is one of a program. */
  readonly files?: string[] | undefined;
  /** Why it is asked, in a sentence. */
  readonly reason: string;
  /** What a yes that is remembered covers, in words for after "allow"; the subject if absent. */
  readonly scope?: string | undefined;
}

/** A person's answer. */
export interface Answer {
  answer: "allow" | "deny";
  /** `once`, the default, is for this very call. */
  remember?: "once" | "session" | "always" | undefined;
}

/** Asks a person. The signal says that the question no longer matters: take it off the screen. */
export type Ask = (question: Question, signal: AbortSignal) => Answer | Promise<Answer>;

/** Where answers are kept: in memory, or in a database, shared by all servers. */
export interface ConsentStore {
  /** The answer for this key, if its fingerprint is still the same. */
  get(key: ConsentKey): Answer["answer"] | undefined | Promise<Answer["answer"] | undefined>;
  /** Keeps an answer, in place of one for another fingerprint. */
  set(key: ConsentKey, answer: Answer["answer"], remember: "session" | "always"): void | Promise<void>;
}

/**
 * Keeps answers for as long as it lives itself.
 *
 * @example
 * ```ts source="./guard.examples.ts#memoryConsents"
 * // One store for all servers: an answer is kept by the server's name.
 * const consents = memoryConsents();
 * const guards = upstreams.map((upstream) => standardGuard(upstream, { ask: show, consents }));
 * ```
 */
export function memoryConsents(): ConsentStore {
  const answers = new Map<string, { fingerprint: string; answer: Answer["answer"] }>();
  const id = ({ server, method, subject }: ConsentKey) => JSON.stringify([server, method, subject]);
  return {
    get(key) {
      const kept = answers.get(id(key));
      return kept?.fingerprint === key.fingerprint ? kept.answer : undefined;
    },
    set(key, answer) {
      answers.set(id(key), { fingerprint: key.fingerprint, answer });
    },
  };
}

/** Questions of one view that may wait; more are refused, so that nobody is worn down. */
const MAX_QUESTIONS = 10;

/**
 * Gives the answer to a question, from the store or from a person: one question at a time for each view, and one
 * for all identical ones that wait. "Allow once" is for the one call that the person saw, and the next is asked
 * again; otherwise one click would let a hundred identical payments through.
 *
 * @example
 * ```ts source="./guard.examples.ts#askOnce"
 * const isAllowed = askOnce(show);
 * const mayUseCamera = await isAllowed({
 *   view,
 *   server,
 *   method: "camera",
 *   subject: "",
 *   fingerprint: "",
 *   title: "Camera",
 *   params: {},
 *   reason: "The app wants to see through your camera.",
 * });
 * ```
 */
export function askOnce(
  ask: Ask,
  store: ConsentStore = memoryConsents(),
): (question: Question, signal?: AbortSignal) => Promise<boolean> {
  const turn = fairGate({ perView: 1, total: Number.POSITIVE_INFINITY, waiting: MAX_QUESTIONS });
  const open = new Map<string, Promise<Answer>>();

  const askNow = async (question: Question, signal: AbortSignal): Promise<Answer> => {
    // The question before this one may have answered it.
    const known = await store.get(question);
    if (known) return { answer: known };
    if (signal.aborted) throw takenBack();
    const withdrawn = new Promise<never>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(takenBack()));
    });
    const { answer, remember } = await Promise.race([withdrawn, (async () => ask(question, signal))()]);
    if (remember && remember !== "once") await store.set(question, answer, remember);
    return { answer, remember };
  };

  return async (question, taken) => {
    let id = "";
    for (;;) {
      const known = await store.get(question);
      if (known) return known === "allow";
      const { reason, tool, link, ...same } = question;
      id ||= canonical(same);
      const other = open.get(id);
      if (!other) break;
      // Withdrawn, or for that call alone: then this one is asked.
      if ((await other.catch(() => undefined))?.answer === "deny") return false;
    }
    const signal = taken ?? new AbortController().signal;
    const asked = turn(question.view, signal, () => askNow(question, signal));
    open.set(id, asked);
    try {
      return (await asked).answer === "allow";
    } finally {
      open.delete(id);
    }
  };
}
