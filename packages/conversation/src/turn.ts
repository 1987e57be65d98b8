/**
 * A turn: a user's message, and everything that the model does to answer it.
 *
 * @module
 */

import { recordOf, VitrineError } from "@vitrine/protocol";
import { type Clock, messageOf } from "@vitrine/servers/support";
import type { ModelItem, ModelUsage, NoteItem } from "@vitrine/wire";
import { AnswerStream, type ModelAnswer } from "./answer.js";
import { requestSettings } from "./answer-settings.js";
import type { Apps } from "./apps.js";
import type { ConversationCalls } from "./conversation-calls.js";
import { newItemId } from "./item-id.js";
import type { Journal } from "./journal.js";
import type { ConversationLimits } from "./limits.js";
import type { Model, ModelMessage } from "./model/model.js";
import { costOf } from "./model/model-cost.js";
import { modelMessages } from "./model-view.js";
import {
  allToolsMissing,
  EMPTY_ANSWER,
  LIMIT_NOTES,
  STRANGE_ENDS,
  toolsMissing,
  waitingNote,
} from "./notes.js";
import type { AnswerDefaults, OfferedTool, ToolPort } from "./ports.js";
import { Repetitions } from "./repetition.js";
import { type NamedTools, nameTools } from "./tool-names.js";

/** Options of {@link Turn}. */
export interface TurnOptions {
  readonly user: string;
  /** The entry to answer. */
  readonly answers: string;
  readonly model: Model;
  /** The defaults of all conversations now. */
  defaults(): AnswerDefaults | undefined;
  readonly journal: Journal;
  readonly calls: ConversationCalls;
  readonly apps: Apps;
  readonly tools: ToolPort;
  readonly limits: ConversationLimits;
  readonly clock: Clock;
  /** Entries that are still queued. */
  waiting(): ReadonlySet<string>;
  /** The provider's ids of calls. */
  readonly providerIds: Map<string, string>;
  /**
   * Whether the model may continue. If the conversation is full, the user has been notified.
   *
   * @param isWritten whether to write all changes first: otherwise the result may change a moment later
   */
  hasRoom(isWritten: boolean): Promise<boolean>;
  note(level: NoteItem["level"], code: string, text: string): NoteItem;
  /** Servers whose tools are unknown, and why. Each is waited for and reported once, until it answers. */
  readonly missing: Map<string, string>;
  readonly onerror: (error: unknown) => void;
}

const MOST_RETRIES = 3;
/** Milliseconds to wait before a retry: the maximum, and the first wait if the provider gives none. */
const LONGEST_WAIT = 30_000;
const UNSAID_WAIT = 2_000;
/** Approximate characters per token, for models that do not report their usage. */
const TOKEN = 4;

/** The turn ended before the model had finished. The user has been notified if necessary. */
class Ended extends Error {}

/** Runs a turn. */
export class Turn {
  readonly #options: TurnOptions;
  readonly #stop = new AbortController();
  readonly #repetitions = new Repetitions();
  /** The current or last answer. */
  #stream: AnswerStream | undefined;
  #item: ModelItem | undefined;
  #tokens = 0;
  #areToolsMissed = false;
  #isLastRound = false;

  constructor(options: TurnOptions) {
    this.#options = options;
  }

  /** Whether an entry is the message being answered, or the answer being written. */
  isAbout(id: string): boolean {
    return id === this.#options.answers || (this.#item?.id === id && this.#item.state === "streaming");
  }

  /** Ends the turn now: the text stays, and calls are cancelled. */
  stop(reason: string): void {
    if (this.#stop.signal.aborted) return;
    this.#stop.abort(new Ended(reason));
    this.#endItem("stopped");
    for (const { id } of this.#stream?.calls ?? []) this.#options.calls.cancel(id, reason);
  }

  /** Lets running calls end, and asks the model nothing more. Without running calls, ends the turn now. */
  windDown(reason: string): void {
    this.#isLastRound = true;
    const { calls = [] } = this.#stream ?? {};
    if (!calls.some(({ state }) => state === "running")) this.stop(reason);
    else if (this.#item?.state === "streaming") {
      this.#stop.abort(new Ended(reason));
      this.#endItem("stopped");
      for (const { id, state } of calls) if (state === "writing") this.#options.calls.cancel(id, reason);
    }
  }

  /** Never rejects. */
  async run(): Promise<void> {
    const { clock, limits, apps, answers, note, onerror } = this.#options;
    const stopClock = clock.after(limits.seconds * 1_000, () => {
      note("warning", "limit-seconds", LIMIT_NOTES.seconds(limits.seconds));
      this.stop(`the turn took more than ${limits.seconds} seconds`);
    });
    apps.notify(answers);
    try {
      await this.#rounds();
    } catch (error) {
      if (!(error instanceof Ended)) {
        onerror(error);
        const message = "An internal error occurred; see the gateway's log. Try again.";
        if (this.#item?.state === "streaming") this.#endItem("failed", { code: "turn-failed", message });
        else note("error", "turn-failed", message);
      }
    } finally {
      stopClock();
    }
  }

  async #rounds(): Promise<void> {
    const { limits, note, hasRoom } = this.#options;
    for (let round = 1; ; round++) {
      // The first round does not wait for the store: there was space when the message was sent.
      if (!(await this.#unlessStopped(hasRoom(round > 1)))) return;
      const { calls, over, reason } = await this.#ask();
      await over;
      this.#stop.signal.throwIfAborted();
      const strange = STRANGE_ENDS[reason];
      if (strange) note("warning", strange.code, strange.text);
      if (calls.length === 0 || this.#isLastRound) return;
      const repetition = this.#repetitions.add(calls);
      if (repetition) {
        note("warning", repetition, LIMIT_NOTES[repetition]);
        return;
      }
      if (round >= limits.rounds) {
        note("warning", "limit-rounds", LIMIT_NOTES.rounds(limits.rounds));
        return;
      }
      if (this.#tokens >= limits.tokens) {
        note("warning", "limit-tokens", LIMIT_NOTES.tokens(limits.tokens));
        return;
      }
    }
  }

  /** Sends a request to the model, and retries it if the error allows that. */
  async #ask(): Promise<ModelAnswer> {
    const { model, journal, calls, clock, answers, providerIds } = this.#options;
    const names = await this.#names();
    const messages = messagesOf(this.#options, names);
    const item: ModelItem = {
      kind: "model",
      id: newItemId(),
      at: clock.now(),
      answers,
      model: model.label,
      text: "",
      state: "streaming",
    };
    this.#item = item;
    journal.add(item);
    const request = {
      ...requestSettings(journal.settings, this.#options.defaults()),
      messages,
      tools: names.tools,
    };
    const { signal } = this.#stop;
    let waiting: NoteItem | undefined;
    try {
      for (let tries = 0; ; tries++) {
        const stream = new AnswerStream({
          model,
          request,
          item,
          journal,
          calls,
          names,
          signal,
          named: (call, id) => void providerIds.set(call.id, id),
        });
        this.#stream = stream;
        try {
          const answer = await stream.follow();
          this.#answered(item, answer, messages);
          return answer;
        } catch (error) {
          signal.throwIfAborted();
          const wait = stream.hasStarted || tries >= MOST_RETRIES ? undefined : waitOf(error, tries);
          if (wait === undefined) return await this.#failed(item, error, stream);
          waiting = this.#waiting(waiting, wait, messageOf(error));
          await this.#sleep(wait);
        }
      }
    } finally {
      if (waiting) journal.remove(waiting.id);
    }
  }

  #answered(item: ModelItem, answer: ModelAnswer, messages: readonly ModelMessage[]): void {
    const { calls, reason } = answer;
    const { journal, apps, model } = this.#options;
    const usage = pricedUsage(answer.usage, model);
    apps.received();
    const used = usage ?? {
      input: Math.ceil(JSON.stringify(messages).length / TOKEN),
      output: Math.ceil((item.text.length + JSON.stringify(calls.map(({ input }) => input)).length) / TOKEN),
    };
    this.#tokens += used.input + used.output;
    // A separate note explains an answer that was cut off or blocked.
    const isEmpty = calls.length === 0 && item.text.trim() === "" && !STRANGE_ENDS[reason];
    journal.update(item, {
      state: "done",
      ...(usage && { usage }),
      ...(isEmpty && { problem: { code: "model-empty", message: EMPTY_ANSWER } }),
    });
    if (usage) journal.addUsage(usage);
  }

  /** Keeps the text. Calls that were made continue; incomplete calls are cancelled. */
  async #failed(item: ModelItem, error: unknown, stream: AnswerStream): Promise<never> {
    const { journal, calls, onerror } = this.#options;
    const problem = problemOf(error);
    if (!(error instanceof VitrineError)) onerror(error);
    journal.update(item, { state: "failed", problem });
    for (const call of stream.calls)
      if (call.state === "writing") calls.cancel(call.id, "the model did not finish the call");
    await stream.over;
    throw new Ended(problem.message);
  }

  async #names(): Promise<NamedTools> {
    const { user, tools, apps, note, onerror, missing } = this.#options;
    let offered: readonly OfferedTool[] = [];
    try {
      const reported = new Set(missing.keys());
      offered = await this.#unlessStopped(tools.list(user, missing));
      const unreported = [...missing].filter(([server]) => !reported.has(server));
      if (unreported.length > 0) note("warning", "tools-missing", toolsMissing(unreported));
    } catch (error) {
      this.#stop.signal.throwIfAborted();
      onerror(error);
      if (!this.#areToolsMissed) note("warning", "tools-missing", allToolsMissing(messageOf(error)));
      this.#areToolsMissed = true;
    }
    return nameTools(offered, apps.tools, apps.numberOf);
  }

  #waiting(before: NoteItem | undefined, wait: number, why: string): NoteItem {
    const { journal, note } = this.#options;
    const text = waitingNote(wait, why);
    if (!before) return note("info", "model-waiting", text);
    journal.update(before, { text });
    return before;
  }

  #endItem(state: "stopped" | "failed", problem?: ModelProblem): void {
    const item = this.#item;
    if (item?.state === "streaming")
      this.#options.journal.update(item, { state, ...(problem && { problem }) });
  }

  #sleep(milliseconds: number): Promise<void> {
    return this.#unlessStopped(
      new Promise((resolve) => void this.#options.clock.after(milliseconds, resolve)),
    );
  }

  /** @throws the reason as soon as the turn is stopped */
  async #unlessStopped<T>(promise: Promise<T>): Promise<T> {
    const { signal } = this.#stop;
    signal.throwIfAborted();
    let leave = (): void => {};
    const stopped = new Promise<never>((_resolve, reject) => {
      leave = () => reject(signal.reason);
      signal.addEventListener("abort", leave, { once: true });
    });
    try {
      return await Promise.race([promise, stopped]);
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }
}

/** Usage with its cost, if the price is known. */
export function pricedUsage(usage: ModelUsage | undefined, { facts }: Model): ModelUsage | undefined {
  const price = facts?.price;
  return usage && price ? { ...usage, cost: costOf(usage, price) } : usage;
}

/** The messages for the model. */
export function messagesOf(
  options: Pick<TurnOptions, "journal" | "apps" | "limits" | "providerIds" | "waiting">,
  names: NamedTools,
): ModelMessage[] {
  const { journal, apps, limits, providerIds, waiting } = options;
  return modelMessages({
    items: journal.items,
    waiting: waiting(),
    sent: apps.sent,
    lasting: apps.lasting,
    names,
    limits,
    idOf: ({ id }) => providerIds.get(id) ?? id,
  });
}

interface ModelProblem {
  code: string;
  message: string;
}

/** Describes an error of a model. */
function problemOf(error: unknown): ModelProblem {
  const { code } = dataOf(error);
  if (error instanceof VitrineError && typeof code === "string") return { code, message: error.message };
  const message = "the model failed unexpectedly; see the gateway's log, and try again";
  return { code: "model-failed", message };
}

/**
 * Milliseconds until the retry after a 429 or 5xx; undefined if a retry is useless, or possible only much
 * later.
 */
function waitOf(error: unknown, tries: number): number | undefined {
  const { code, retryAfter, status } = dataOf(error);
  const isServerFault = typeof status === "number" && status >= 500;
  if (code !== "model-rate-limited" && code !== "model-overloaded" && !isServerFault) return undefined;
  const wait = typeof retryAfter === "number" ? retryAfter : UNSAID_WAIT * 2 ** tries;
  return wait <= LONGEST_WAIT ? wait : undefined;
}

const dataOf = (error: unknown): Record<string, unknown> =>
  error instanceof VitrineError ? recordOf(error.data) : {};
