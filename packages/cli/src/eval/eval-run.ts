/**
 * A run of a case: a conversation with a model, and whether it was as expected.
 *
 * @module
 */
import type { GatewaySettings, RunningGateway } from "@vitrine/gateway";
import type { ConversationItem } from "@vitrine/wire";
import type { Browser } from "playwright-core";
import { CliError, told } from "../exit.js";
import { unlessAborted } from "../signals.js";
import { ConsentRule, type Denial } from "./consent-rule.js";
import type { EvalCase, EvalTurn } from "./eval-file.js";
import {
  answersOf,
  answerText,
  callsOf,
  type Evidence,
  type KnownUsage,
  type MadeCall,
  usageOf,
} from "./evidence.js";
import { judge } from "./judge.js";
import { RunApps } from "./run-apps.js";
import { openGateway, USER } from "./run-gateway.js";

/** Options of {@link runCase}. */
export interface RunCaseOptions {
  readonly evalCase: EvalCase;
  /** `provider/model`. */
  readonly model: string;
  readonly settings: GatewaySettings;
  readonly allow: readonly string[];
  /** Milliseconds. */
  readonly timeout: number;
  /** Whether apps are shown. */
  readonly hasApps: boolean;
  readonly browser: () => Promise<Browser>;
  /** The folder with the built pages. */
  readonly pages?: string | undefined;
  /** Whether the outcome will be recorded. */
  readonly isRecorded: boolean;
  readonly signal: AbortSignal;
}

/** The outcome of a run. */
export interface RunOutcome {
  /** `error`: it could not be judged. */
  readonly outcome: "passed" | "failed" | "error";
  /** Why it is not as expected. */
  readonly reasons: readonly string[];
  /** Why it could not be judged. */
  readonly error?: { readonly code: string; readonly message: string } | undefined;
  readonly calls: readonly MadeCall[];
  readonly answer: string;
  readonly denied: readonly Denial[];
  readonly usage: KnownUsage;
  /** Milliseconds of the conversation, without the start of the servers. */
  readonly time: number;
  readonly items: readonly ConversationItem[];
  /** Recordings of apps, by the entry of their call. */
  readonly apps: ReadonlyMap<string, string>;
}

/** Milliseconds between looks whether an answer has ended. */
const LOOK = 50;

type Conversation = Awaited<ReturnType<RunningGateway["conversations"]["open"]>>;

/** Runs a case. Rejects only when it is interrupted, or for an internal error. */
export async function runCase(options: RunCaseOptions): Promise<RunOutcome> {
  const { settings, allow, signal, pages } = options;
  const rule = new ConsentRule(allow);
  const held = new HeldConversation(options);
  let reasons: string[] = [];
  let error: RunOutcome["error"];
  try {
    const opened = await openGateway(settings, rule.answer, signal, pages);
    try {
      reasons = await held.hold(opened.gateway);
    } finally {
      await held.end();
      await opened.close();
    }
  } catch (cause) {
    signal.throwIfAborted();
    error = problemOf(cause);
  }
  const { items } = held;
  return {
    outcome: error ? "error" : reasons.length > 0 ? "failed" : "passed",
    reasons: error ? [] : reasons,
    ...(error && { error }),
    calls: callsOf(items),
    answer: answerText(items),
    denied: rule.denied,
    usage: usageOf(items),
    time: held.time,
    items,
    apps: held.recordings,
  };
}

function problemOf(cause: unknown): { code: string; message: string } {
  const known = told(cause);
  if (!known) throw cause;
  return { code: known.code.replaceAll("_", "-"), message: known.message };
}

/** A conversation that is being held. Its entries stay when it fails. */
class HeldConversation {
  readonly #options: RunCaseOptions;
  readonly #late = new AbortController();
  /** Aborts when the command is interrupted, or the case takes too long. */
  readonly #stop: AbortSignal;
  #conversation: Conversation | undefined;
  #apps: RunApps | undefined;
  #leave = (): void => {};
  #items: readonly ConversationItem[] = [];
  recordings: ReadonlyMap<string, string> = new Map();
  time = 0;

  constructor(options: RunCaseOptions) {
    this.#options = options;
    this.#stop = AbortSignal.any([options.signal, this.#late.signal]);
  }

  get items(): readonly ConversationItem[] {
    return this.#items;
  }

  /** Says all sentences. Returns why the answers are not as expected. */
  async hold(gateway: RunningGateway): Promise<string[]> {
    const { timeout } = this.#options;
    const message = `the case took longer than ${timeout / 1_000} s; raise timeout in the file`;
    const timer = setTimeout(() => this.#late.abort(new CliError("timeout", message)), timeout);
    try {
      return await this.#hold(gateway);
    } finally {
      clearTimeout(timer);
    }
  }

  async #hold(gateway: RunningGateway): Promise<string[]> {
    const { evalCase, model, hasApps, browser, timeout } = this.#options;
    // For a model that cannot be used, this error says why.
    if (!gateway.models.find(model)) await gateway.models.choose(model);
    const conversation = await gateway.conversations.open(USER);
    this.#conversation = conversation;
    conversation.configure({ model });
    if (hasApps) {
      // Without a browser, nothing can be said about apps.
      await this.#unlessStopped(browser());
      const apps = new RunApps({ browser, gateway, conversation: conversation.id, timeout });
      this.#apps = apps;
      this.#leave = conversation.subscribe((_id, _seq, changes) => apps.changed(changes));
    }
    const reasons: string[] = [];
    const isLong = evalCase.turns.length > 1;
    for (const [at, turn] of evalCase.turns.entries()) {
      const found = await this.#turn(conversation, turn);
      reasons.push(...found.map((reason) => (isLong ? `turn ${at + 1}: ${reason}` : reason)));
    }
    if (evalCase.expect) reasons.push(...(await this.#judge(evalCase.expect, this.#items, this.time)));
    return reasons;
  }

  /** Stops what is running, and takes the recordings. */
  async end(): Promise<void> {
    this.#leave();
    this.#conversation?.stop();
    if (this.#conversation) this.#items = structuredClone(this.#conversation.state().items);
    if (this.#apps && this.#options.isRecorded && !this.#options.signal.aborted)
      this.recordings = await this.#apps.recordings();
    await this.#apps?.close();
  }

  async #turn(conversation: Conversation, { say, expect }: EvalTurn): Promise<string[]> {
    const before = new Set(this.#items.map(({ id }) => id));
    const startedAt = performance.now();
    await conversation.send([{ type: "text", text: say }]);
    const time = Math.round((await this.#answered(conversation)) - startedAt);
    this.time += time;
    this.#items = structuredClone(conversation.state().items);
    const items = this.#items.filter(({ id }) => !before.has(id));
    checkAnswers(items);
    return expect ? this.#judge(expect, items, time) : [];
  }

  /**
   * Waits until the model has answered everything, also messages of apps, and the apps are idle. Returns when the model
   * was done.
   */
  async #answered(conversation: Conversation): Promise<number> {
    for (;;) {
      while (conversation.isRunning) {
        this.#stop.throwIfAborted();
        await new Promise((resolve) => setTimeout(resolve, LOOK));
      }
      const doneAt = performance.now();
      if (!this.#apps) return doneAt;
      await this.#unlessStopped(this.#apps.settle());
      if (!conversation.isRunning) return doneAt;
    }
  }

  async #judge(
    expect: NonNullable<EvalCase["expect"]>,
    items: readonly ConversationItem[],
    time: number,
  ): Promise<string[]> {
    const evidence: Evidence = {
      calls: callsOf(items),
      answer: answerText(items),
      // Earlier apps are still there, and may have changed.
      apps: this.#apps?.shown ?? [],
      usage: usageOf(items),
      time,
    };
    return this.#unlessStopped(judge(expect, evidence));
  }

  #unlessStopped<T>(work: Promise<T>): Promise<T> {
    return unlessAborted(this.#stop, work);
  }
}

/** Notes of the host after which an answer says nothing about the model. */
const NOT_JUDGED = new Set(["tools-missing", "turn-failed", "no-model"]);

/**
 * A failure of the provider or of a server is not an unexpected answer.
 *
 * @throws {CliError} with the code of the failure
 */
function checkAnswers(items: readonly ConversationItem[]): void {
  const failed = answersOf(items).find(({ state }) => state === "failed");
  const note = items.find((item) => item.kind === "note" && NOT_JUDGED.has(item.code));
  const { code, message } = failed?.problem ?? (note?.kind === "note" ? { ...note, message: note.text } : {});
  if (code === undefined || message === undefined) return;
  throw new CliError(code, message);
}
