/**
 * Runs the turns of a conversation one after the other.
 *
 * @module
 */
import {
  GatewayError,
  type ModelView,
  type ModelViewMessage,
  type ModelViewTool,
  type SpeakingApp,
} from "@vitrine/wire";
import { requestSettings } from "./answer-settings.js";
import type { Model } from "./model/model.js";
import { appFlood, UNANSWERED } from "./notes.js";
import type { ModelPort } from "./ports.js";
import { type NamedTools, nameTools } from "./tool-names.js";
import { messagesOf, Turn, type TurnOptions } from "./turn.js";

/** Options of {@link TurnQueue}. */
export interface TurnQueueOptions
  extends Omit<TurnOptions, "answers" | "model" | "defaults" | "waiting" | "providerIds" | "missing"> {
  readonly models: ModelPort;
  /** Called when a turn starts or ends. */
  onchange(): void;
  /** Called after a turn, with its model. */
  onturn(model: Model): void;
  /** Called when no turn is left. */
  ondone(): void;
}

/** Runs turns in the order of their messages. */
export class TurnQueue {
  readonly #options: TurnQueueOptions;
  /** Queued user entries, in order. */
  readonly #queue: string[] = [];
  /** The models that users chose for single messages, by entry. */
  readonly #chosen = new Map<string, string>();
  readonly #providerIds = new Map<string, string>();
  /** Servers whose tools are unknown; see {@link TurnOptions.missing}. */
  readonly #missing = new Map<string, string>();
  #turn: Turn | undefined;
  /** Consecutive turns that were not started by a user. */
  #appTurns = 0;
  #isFloodReported = false;
  #isWindingDown = false;

  constructor(options: TurnQueueOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#turn !== undefined;
  }

  /**
   * Checks whether another message is accepted: nobody could follow many apps at once, and each message costs
   * an answer.
   *
   * @throws {GatewayError} `overloaded`, `stopping`
   */
  check(from: SpeakingApp | undefined): void {
    if (this.#isWindingDown) throw new GatewayError("stopping", "the gateway is stopping");
    const { appQueue, queue, appTurns } = this.#options.limits;
    if (this.#queue.length >= queue)
      throw overloaded(`${queue} messages are waiting for an answer: wait, or stop the answer`);
    if (!from) {
      this.#appTurns = 0;
      this.#isFloodReported = false;
    } else if (this.#queue.filter((id) => this.#isFromApp(id)).length >= appQueue) {
      this.#reportFlood(from, "sends messages faster than they are answered");
      throw overloaded(`${appQueue} messages of apps are waiting for an answer: wait`);
    } else if (this.#appTurns >= appTurns) {
      this.#reportFlood(from, "talks with the model on its own");
      throw overloaded("apps sent too many messages in a row: the user must send a message first");
    }
  }

  /** The model that would answer; with an id, that one. */
  modelFor(chosen?: string): Model | undefined {
    const { models, user, journal } = this.#options;
    return models.current(user, chosen ?? journal.settings.model);
  }

  /** Queues a user entry. With an id, that model answers it. */
  add(item: string, model?: string): void {
    this.#queue.push(item);
    if (model !== undefined) this.#chosen.set(item, model);
    if (this.#isFromApp(item)) this.#appTurns++;
    if (this.#turn) this.#mark(item, true);
    else void this.#run();
  }

  /**
   * Stops the current turn and the queued ones, or only a single entry. Returns whether there was anything to
   * stop.
   */
  stop(reason: string, item?: string): boolean {
    const waited = item === undefined ? this.#emptyQueue() : this.#leaveQueue(item);
    const turn = item === undefined || this.#turn?.isAbout(item) ? this.#turn : undefined;
    turn?.stop(reason);
    return waited || turn !== undefined;
  }

  /** Starts no more turns, and ends the current one after its calls. */
  windDown(reason: string): void {
    this.#isWindingDown = true;
    if (this.#turn) this.#options.note("info", "stopping", UNANSWERED.stopping);
    this.#emptyQueue();
    this.#turn?.windDown(reason);
  }

  /** Forgets an entry that was removed. */
  removed(item: string): void {
    this.#providerIds.delete(item);
  }

  /** The tools that are currently offered to a model. */
  async names(): Promise<NamedTools> {
    const { user, tools, apps } = this.#options;
    return nameTools(await tools.list(user), apps.tools, apps.numberOf);
  }

  /**
   * The request that a model would get if a message were sent now. Unsent app contexts form a message at the
   * end.
   */
  async view(): Promise<ModelView> {
    const names = await this.names();
    const waiting = () => new Set(this.#queue);
    const sent = messagesOf({ ...this.#options, waiting, providerIds: this.#providerIds }, names);
    const unsent = this.#options.apps.unsent();
    const next: ModelViewMessage[] = unsent.length > 0 ? [{ role: "user", content: unsent }] : [];
    const tools = names.tools.flatMap((tool): ModelViewTool[] => {
      const named = names.find(tool.name);
      if (!named) return [];
      const app = named.kind === "app" ? named.app : undefined;
      return [{ ...tool, server: named.server, tool: named.tool.name, ...(app && { app }) }];
    });
    const { journal, models } = this.#options;
    const { system } = requestSettings(journal.settings, models.defaults);
    return { system, messages: [...sent, ...next], tools };
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    for (;;) {
      const answers = this.#queue.shift();
      if (answers === undefined) break;
      const { models, ...options } = this.#options;
      const model = this.modelFor(this.#chosen.get(answers));
      this.#chosen.delete(answers);
      this.#mark(answers, false);
      // The model was available when the message was sent, but is not now.
      if (!model) {
        options.note("warning", "model-gone", UNANSWERED["model-gone"]);
        break;
      }
      const turn = new Turn({
        ...options,
        answers,
        model,
        defaults: () => models.defaults,
        providerIds: this.#providerIds,
        missing: this.#missing,
        waiting: () => new Set(this.#queue),
      });
      this.#turn = turn;
      options.onchange();
      await turn.run();
      this.#turn = undefined;
      options.onturn(model);
    }
    this.#emptyQueue();
    this.#options.onchange();
    this.#options.ondone();
  }

  #leaveQueue(item: string): boolean {
    const at = this.#queue.indexOf(item);
    if (at < 0) return false;
    this.#queue.splice(at, 1);
    this.#chosen.delete(item);
    this.#mark(item, false);
    return true;
  }

  /** Empties the queue. Returns whether it contained anything. */
  #emptyQueue(): boolean {
    const waiting = this.#queue.splice(0);
    this.#chosen.clear();
    for (const item of waiting) this.#mark(item, false);
    return waiting.length > 0;
  }

  /** Shows in pages which messages are queued. */
  #mark(id: string, isQueued: boolean): void {
    const { journal } = this.#options;
    const item = journal.find(id);
    if (item?.kind === "user" && (item.isQueued ?? false) !== isQueued)
      journal.update(item, { isQueued: isQueued || undefined });
  }

  #isFromApp(id: string): boolean {
    const item = this.#options.journal.find(id);
    return item?.kind === "user" && item.from !== undefined;
  }

  /** Adds the note once, until a user sends a message. */
  #reportFlood({ title }: SpeakingApp, what: string): void {
    if (!this.#isFloodReported) this.#options.note("warning", "app-flood", appFlood(title, what));
    this.#isFloodReported = true;
  }
}

const overloaded = (message: string): GatewayError => new GatewayError("overloaded", message);
