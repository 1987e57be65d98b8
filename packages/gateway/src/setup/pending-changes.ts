/**
 * Changes that wait for the user at the terminal.
 *
 * @module
 */
import { randomUUID } from "node:crypto";
import { Refusal } from "@vitrine/guard";
import { messageOf } from "@vitrine/servers/support";
import { GatewayError, type PendingServer } from "@vitrine/wire";
import { type NewSecrets, referenceTo } from "./drafts.js";
import { versionOf } from "./settings-entries.js";
import type { AskedChange, SetupHost, WrittenEntry } from "./setup-host.js";
import { type SentValues, shownEntry } from "./shown-entry.js";

/** A change of one server. It never changes itself: what the user saw is what is written. */
export interface ProposedChange {
  readonly user: string;
  readonly name: string;
  readonly change: AskedChange["change"];
  /** The entry that the file had when the change was asked for. */
  readonly before: WrittenEntry | undefined;
  /** The entry that the file gets; undefined to remove the server. */
  readonly entry: WrittenEntry | undefined;
  readonly secrets: NewSecrets;
  /** Values that the page has sent, and may see again. */
  readonly sent: SentValues;
}

/** Options of {@link PendingChanges}. */
export interface PendingOptions {
  readonly host: Pick<SetupHost, "canAsk" | "lines" | "command" | "confirm">;
  /** Makes a change that the user has allowed. */
  apply(change: ProposedChange): Promise<void>;
  /** Called when the user has declined. */
  refused(change: ProposedChange): void;
  /** Called when a change will not be made, or was made elsewhere. */
  dropped(change: ProposedChange): void;
  onchange(): void;
  onerror(error: unknown): void;
}

/** Questions that may wait at once: a page must not bury the terminal in them. */
const MAX_PENDING = 10;

/** Questions that pages may withdraw within a minute, so that no answer meets another question than the user has read. */
const MAX_WITHDRAWN = 10;
const MINUTE = 60_000;

/** A change with its question. */
interface Question {
  readonly change: ProposedChange;
  readonly controller: AbortController;
  shown: PendingServer;
  /** The user has allowed it, and it is being made: nobody can withdraw it now. */
  isApplying: boolean;
}

/** Whether somebody made the change, or another one where nobody can be asked for it. */
const isDone = (state: PendingServer["state"], change: ProposedChange, version: string): boolean =>
  versionOf(change.entry) === version || (state === "unasked" && versionOf(change.before) !== version);

/** Holds the changes, and asks for one after another. */
export class PendingChanges {
  readonly #options: PendingOptions;
  readonly #questions = new Map<string, Question>();
  #asking: Promise<void> = Promise.resolve();
  /** When pages have withdrawn questions. */
  #withdrawn: number[] = [];
  #refusedUntil = 0;

  constructor(options: PendingOptions) {
    this.#options = options;
  }

  get list(): PendingServer[] {
    return [...this.#questions.values()].map(({ shown }) => shown);
  }

  /**
   * Asks for a change. An earlier question about the same server is withdrawn.
   *
   * @throws {GatewayError} `config-invalid` if it is too long to be read in a terminal; `overloaded`
   * @throws {Refusal} `rate-limited` after too many withdrawn questions
   */
  add(change: ProposedChange): PendingServer {
    const { host } = this.#options;
    const wait = this.#refusedUntil - performance.now();
    if (wait > 0)
      throw new Refusal("rate-limited", "too many questions in the terminal were withdrawn: wait a minute", {
        retryAfter: Math.ceil(wait),
      });
    this.withdraw(change.name);
    if (this.#questions.size >= MAX_PENDING)
      throw new GatewayError("overloaded", "too many changes wait for the terminal: answer or withdraw them");
    const asked: AskedChange = Object.freeze({
      name: change.name,
      change: change.change,
      entry: structuredClone(change.entry ?? {}),
    });
    const references = new Set([...change.secrets.keys()].map(referenceTo));
    const { entry, isComplete } = shownEntry(asked.entry, change.sent, (text) => references.has(text));
    // The page must not read values of the file in the question.
    const lines = host.lines({ ...asked, entry });
    if (!lines || !host.lines(asked))
      throw new GatewayError(
        "config-invalid",
        `“${change.name}” is too long to be read in a terminal: write it into the settings file`,
      );
    const question: Question = {
      // Exactly what the terminal shows.
      change: { ...change, entry: asked.entry },
      controller: new AbortController(),
      shown: {
        id: randomUUID(),
        name: change.name,
        change: change.change,
        lines: [...lines],
        state: host.canAsk ? "asking" : "unasked",
        command: isComplete ? host.command(asked) : undefined,
      },
      isApplying: false,
    };
    this.#questions.set(question.shown.id, question);
    if (host.canAsk) this.#asking = this.#asking.then(() => this.#ask(question, asked));
    this.#options.onchange();
    return question.shown;
  }

  /** Withdraws the question about a server. */
  withdraw(name: string): void {
    for (const { shown } of this.#questions.values()) if (shown.name === name) this.#take(shown);
  }

  dismiss(id: string): void {
    const question = this.#questions.get(id);
    if (!question) return;
    this.#take(question.shown);
    this.#options.onchange();
  }

  /** Drops a question for a page, and counts it if the user may be reading it. */
  #take({ id, state }: PendingServer): void {
    this.#drop(id);
    if (state !== "asking") return;
    const now = performance.now();
    this.#withdrawn = [...this.#withdrawn.filter((at) => at > now - MINUTE), now];
    if (this.#withdrawn.length >= MAX_WITHDRAWN) this.#refusedUntil = now + MINUTE;
  }

  /** The file has a server of this version now: a question about another version is obsolete. */
  settled(name: string, version: string): void {
    for (const { shown, change } of this.#questions.values())
      if (shown.name === name && isDone(shown.state, change, version)) this.#drop(shown.id);
  }

  close(): void {
    for (const id of [...this.#questions.keys()]) this.#drop(id);
  }

  #drop(id: string): void {
    const question = this.#questions.get(id);
    if (!question || question.isApplying) return;
    question.controller.abort(new Error("withdrawn"));
    this.#questions.delete(id);
    this.#options.dropped(question.change);
  }

  async #ask(question: Question, asked: AskedChange): Promise<void> {
    const { host, apply, refused, onchange, onerror } = this.#options;
    const { controller, change, shown } = question;
    const { signal } = controller;
    if (signal.aborted) return;
    try {
      const isAllowed = await host.confirm(asked, signal);
      if (signal.aborted) return;
      if (isAllowed) {
        question.isApplying = true;
        await apply(change);
        this.#questions.delete(shown.id);
      } else {
        refused(change);
        question.shown = { ...shown, state: "declined" };
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof GatewayError)) onerror(error);
      question.isApplying = false;
      question.shown = { ...shown, state: "failed", problem: messageOf(error) };
    }
    onchange();
  }
}
