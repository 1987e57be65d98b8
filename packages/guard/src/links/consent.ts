/**
 * Asks the user for consent, and remembers the answer.
 *
 * @module
 */
import type { Tool } from "@vitrine/protocol";
import type { WebLink } from "../link-policy.js";
import { canonical } from "./canonical.js";
import { fairGate } from "./concurrency.js";
import { cancelledError } from "./refusal.js";

/** The key of a remembered answer. */
export interface ConsentKey {
  readonly server: string;
  readonly method: string;
  /** The tool's name, or the link's host; otherwise empty. */
  readonly subject: string;
  /** Fingerprint of the tool that the user agreed to. If it changes, the answer no longer applies. */
  readonly fingerprint: string;
}

/**
 * How often the user is asked about the apps of a server: before every action, before every call that may change
 * something, or by the rules that hold without a choice.
 */
export type AskLevel = "always" | "changes" | "important";

/** A question to the user, with everything that a prompt must show. */
export interface Question extends ConsentKey {
  readonly view: string;
  /** The tool's own title, or the full host; never show it without `server` and `subject`. */
  readonly title: string;
  /** The exact parameters: the arguments, the files, the messages. */
  readonly params: Record<string, unknown>;
  readonly tool?: Tool | undefined;
  /** The link in the form that will be opened, with its host in both forms. */
  readonly link?: WebLink | undefined;
  /** Names under which files will be saved, each with a warning if it is a program. */
  readonly files?: string[] | undefined;
  /** The reason of the question, as an English sentence. */
  readonly reason: string;
  /** The requester, if it is not an app. */
  readonly asker?: "model" | "agent" | undefined;
  /** The agent's own name, if an agent wants it. */
  readonly agent?: string | undefined;
  /** Scope of a remembered approval, as text after "allow"; the subject if absent. */
  readonly scope?: string | undefined;
  /** Explains the scope, as sentences. */
  readonly scopeNote?: string | undefined;
  /** A remembered approval covers more than a tool of the server: all ordinary tools, or a tool of the app. */
  readonly covers?: "tools" | "own-tool" | undefined;
  /** The current level of the server's apps, if the answer may change it. */
  readonly level?: AskLevel | undefined;
}

/** The user's answer. */
export interface ConsentAnswer {
  answer: "allow" | "deny";
  /** `once`, the default, applies only to this call. */
  remember?: "once" | "session" | "always" | undefined;
  /** The new level of the server's apps, if the user chose another one. */
  level?: AskLevel | undefined;
}

/** Asks the user. The signal aborts when the question is obsolete: remove it from the screen. */
export type Ask = (question: Question, signal: AbortSignal) => ConsentAnswer | Promise<ConsentAnswer>;

/** Stores answers: in memory, or in a database, shared by all servers. */
export interface ConsentStore {
  /** The answer for this key, if its fingerprint is unchanged. */
  get(key: ConsentKey): ConsentAnswer["answer"] | undefined | Promise<ConsentAnswer["answer"] | undefined>;
  /** Stores an answer, replacing one with another fingerprint. */
  set(key: ConsentKey, answer: ConsentAnswer["answer"], remember: "session" | "always"): void | Promise<void>;
}

/**
 * Stores answers in memory.
 *
 * @example
 * ```ts source="./guard.examples.ts#memoryConsents"
 * // A store for all servers: an answer is stored by the server's name.
 * const consents = memoryConsents();
 * const guards = upstreams.map((upstream) => standardGuard(upstream, { ask: show, consents }));
 * ```
 */
export function memoryConsents(): ConsentStore {
  const answers = new Map<string, { fingerprint: string; answer: ConsentAnswer["answer"] }>();
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

/** Maximum pending questions of one view; more are refused, so that the user is not worn down. */
const MAX_QUESTIONS = 10;

/**
 * Answers a question from the store or by asking: one question at a time per view, and one for all identical
 * pending ones. "Allow once" applies only to the call that the user saw, and the next is asked again;
 * otherwise one click would allow a hundred identical payments.
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
  const open = new Map<string, Promise<ConsentAnswer>>();

  const askNow = async (question: Question, signal: AbortSignal): Promise<ConsentAnswer> => {
    // The previous question may have answered it.
    const known = await store.get(question);
    if (known) return { answer: known };
    if (signal.aborted) throw cancelledError();
    const withdrawn = new Promise<never>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(cancelledError()));
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
      // Withdrawn, or only for that call: then this one is asked.
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
