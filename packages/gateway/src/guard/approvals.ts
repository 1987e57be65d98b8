/**
 * Decides about actions, asks the user, and remembers the answers.
 *
 * @module
 */
import {
  type Ask,
  askOnce,
  type ConsentAnswer,
  type Decision,
  type Question,
  Refusal,
  type ToolDirectory,
} from "@vitrine/guard";
import { type ToolVisibility, VitrineError } from "@vitrine/protocol";
import { APP_TOOL_METHOD, PERMISSION_METHOD } from "../config/policy-key.js";
import { asksAnyway, offersLevel, UserAskLevel } from "./ask-level.js";
import { type AskedKey, UserConsents } from "./consents.js";
import type { GatewayGuardOptions } from "./guard-options.js";
import { askerOf } from "./guarded-call.js";
import type { OwnChecks } from "./own-checks.js";
import {
  decide,
  operatorDecision,
  type PolicySources,
  type Remember,
  rememberable,
  type Subject,
} from "./policy.js";
import { shareAnswers } from "./shared-questions.js";

/** Why an action is allowed. */
export type Grounds = "policy" | "asked" | "remembered";

/** The scope of methods whose answers are remembered for the whole server. */
const ALL: Readonly<Record<string, string>> = {
  "ui/message": "all messages from",
  "ui/update-model-context": "all context from",
  "ui/download-file": "all files from",
};

/** Explains "all ordinary tools" in a question. */
const ORDINARY: Readonly<Record<ToolVisibility, string>> = {
  app: "Ordinary tools are all tools of this server that apps may call, except destructive ones. The model is asked about separately.",
  model:
    "Ordinary tools are all tools of this server that the model may call, except destructive ones. Apps are asked about separately.",
};

/** Describes the scope of a remembered approval, for its button. */
function scopeOf({ method, subject, server }: Question, kept: string): string {
  if (method === "tools/call") return kept === "" ? `all ordinary tools of ${server}` : `the tool ${subject}`;
  if (method === APP_TOOL_METHOD) return `the tool ${subject} of this app`;
  if (method === "ui/open-link") return `links to ${subject}`;
  if (method === PERMISSION_METHOD) return `${subject} for this app`;
  return `${Object.hasOwn(ALL, method) ? ALL[method] : `all ${method} by`} ${server}`;
}

/** Names the requester: the guard's links treat every requester as an app. */
const ofWhom = ({ view }: Question, reason: string): string =>
  askerOf(view) === "model" ? reason.replace(/^The app\b/, "The model") : reason;

/** An answer with a duration that was offered: a page could send another one. */
function asOffered(
  { answer, remember = "once" }: ConsentAnswer,
  offered: readonly Remember[],
): ConsentAnswer {
  if (remember === "once" || offered.length === 0) return { answer, remember: "once" };
  return { answer, remember: offered.includes(remember) ? remember : "session" };
}

/** The decisions and approvals of a user at a server. */
export class Approvals {
  readonly consents: UserConsents;
  /** How often the server's apps ask. */
  readonly level: UserAskLevel;
  readonly #sources: PolicySources;
  readonly #views: GatewayGuardOptions["views"];
  readonly #isAllowed: ReturnType<typeof askOnce> | undefined;
  /** Asks each time, because of the user's level; only a remembered denial counts. */
  readonly #isAllowedThisTime: ReturnType<typeof askOnce> | undefined;
  /** Questions that are asked because of the user's level. */
  readonly #anyway = new WeakSet<Question>();
  /** Questions that were shown, rather than answered from memory. */
  readonly #shown = new WeakSet<Question>();
  /** Open questions, with their views. */
  readonly #open = new Map<AbortController, string>();

  constructor({ user, store, server, settings, views, ask, now }: GatewayGuardOptions, tools: ToolDirectory) {
    const { name, identity } = server.settings;
    this.#views = views;
    this.#sources = {
      settings,
      // While a server with changed settings ends, the new settings apply already.
      get server() {
        const current = settings.servers?.get(name);
        return current?.identity === identity ? current : server.settings;
      },
    };
    // An approval of an app's tool ends with the app.
    const sessionOf = ({ method, view }: AskedKey): string =>
      view === undefined ? "" : ((method === APP_TOOL_METHOD ? undefined : views(view)?.session) ?? view);
    this.consents = new UserConsents({
      user,
      identity,
      consents: store.consents,
      tools,
      sessionOf,
      now,
      uis: () => server.views(),
      isAskedAlone: ({ method, subject, view }) =>
        this.#operator({ method, subject, params: {} }, view) === "ask",
    });
    this.level = new UserAskLevel({ user, server: server.settings, store, now });
    if (!ask) return;
    const show: Ask = async (question, signal) => {
      this.#shown.add(question);
      const isAnyway = this.#anyway.has(question);
      const { subject } = (isAnyway ? undefined : await this.consents.keyOf(question)) ?? question;
      const offered = isAnyway ? [] : rememberable(question);
      const level = offersLevel(question) ? await this.level.current() : undefined;
      // If the answer covers more than the question, the prompt must say so.
      const isWider = subject !== question.subject;
      const asked: Question = {
        ...question,
        // A page shows tools of apps like those of servers.
        method: question.method === APP_TOOL_METHOD ? "tools/call" : question.method,
        reason: ofWhom(question, question.reason),
        scope: scopeOf(question, subject),
        ...(isWider && { covers: "tools", scopeNote: ORDINARY[askerOf(question.view)] }),
        ...(askerOf(question.view) === "model" && { asker: "model" }),
        ...(level !== undefined && { level }),
      };
      const given = await ask(asked, offered, signal);
      const chosen = level === undefined ? undefined : given.level;
      if (chosen !== undefined && chosen !== level) await this.level.set(chosen, "chosen in a question");
      // A level that asks each time remembers no approval.
      const answer = asOffered(given, chosen && asksAnyway(chosen, question) ? [] : offered);
      // A browser permission that is allowed once lasts as long as the view.
      const isForView = question.method === PERMISSION_METHOD && answer.remember === "once";
      if (isForView && answer.answer === "allow") this.consents.allowForView(question);
      return answer;
    };
    const keyOf = async (question: Question) => {
      const key = await this.consents.keyOf(question);
      return key && JSON.stringify(key);
    };
    this.#isAllowed = askOnce(shareAnswers(show, keyOf, sessionOf), this.consents);
    this.#isAllowedThisTime = askOnce(show, {
      get: async (key) => ((await this.consents.get(key)) === "deny" ? "deny" : undefined),
      set: () => {},
    });
  }

  /**
   * Why an action is allowed: decides, asks the user if necessary, and remembers the answer.
   *
   * @throws {Refusal} `not-allowed`, `denied`; or an error of its own checks
   */
  async approve(question: Question, own: OwnChecks = {}, signal?: AbortSignal): Promise<Grounds> {
    const decision = this.#decide(question);
    await own.check?.(question);
    const isAnyway = offersLevel(question) && asksAnyway(await this.level.current(), question);
    if (isAnyway) this.#anyway.add(question);
    else if (decision === "allow") return "policy";
    if (!(await this.#ask(question, own, signal))) {
      throw new Refusal("denied", `${shown(question)}: the user declined`);
    }
    // The settings may have changed while the user was thinking.
    this.#decide(question);
    return own.ask || this.#shown.has(question) ? "asked" : "remembered";
  }

  /** Whether an action is allowed without a question: by the settings, or by an approval that was not revoked. */
  async isApproved(question: Question): Promise<boolean> {
    const decision = decide(this.#sources, question, this.#views(question.view));
    return decision === "ask" ? (await this.consents.get(question)) === "allow" : decision === "allow";
  }

  /** Whether the operator denies it, whichever view asks. */
  isDenied(subject: Subject): boolean {
    return this.#operator(subject) === "deny";
  }

  /** Withdraws the open questions of a closed view, and forgets its approvals. */
  closeView(view: string): void {
    for (const [open, of] of this.#open) if (of === view) open.abort();
    this.consents.endSession(view);
  }

  /** Withdraws all open questions. */
  close(): void {
    for (const open of this.#open.keys()) open.abort();
  }

  #operator(subject: Subject, view?: string): Decision | undefined {
    return operatorDecision(this.#sources, subject, view === undefined ? undefined : this.#views(view));
  }

  #decide(question: Question): Decision {
    const decision = decide(this.#sources, question, this.#views(question.view));
    if (decision === "deny") throw notAllowed(question);
    return decision;
  }

  /** Whether the user agrees, now or before. */
  async #ask(question: Question, own: OwnChecks, taken: AbortSignal | undefined): Promise<boolean> {
    const closed = new AbortController();
    const signal = taken ? AbortSignal.any([taken, closed.signal]) : closed.signal;
    this.#open.set(closed, question.view);
    try {
      if (own.ask) return await own.ask(signal);
      const isAllowed = this.#anyway.has(question) ? this.#isAllowedThisTime : this.#isAllowed;
      if (isAllowed) return await isAllowed(question, signal);
      throw new Refusal("denied", `${shown(question)}: nobody can be asked; allow it in a policy`);
    } catch (error) {
      if (!closed.signal.aborted) throw error;
      own.checkAgain?.();
      throw new VitrineError("aborted", "the question was withdrawn because its app or server has closed");
    } finally {
      this.#open.delete(closed);
    }
  }
}

/** An action as errors name it. */
const shown = ({ method, subject }: Pick<Subject, "method" | "subject">): string =>
  `${method} ${subject}`.trim();

/** The error of an action that the operator denies. */
export const notAllowed = (subject: Subject): Refusal =>
  new Refusal("not-allowed", `${shown(subject)}: the operator does not allow this`);
