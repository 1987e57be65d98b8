/**
 * The turns of a conversation: one after the other.
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
import { SYSTEM_PROMPT } from "./model-view.js";
import { appFlood, UNANSWERED } from "./notes.js";
import type { ModelPort } from "./ports.js";
import { type NamedTools, nameTools } from "./tool-names.js";
import { messagesOf, Turn, type TurnOptions } from "./turn.js";

/** What turns stand on. */
export interface TurnsOptions
  extends Omit<TurnOptions, "answers" | "model" | "waiting" | "providerIds" | "missing"> {
  readonly models: ModelPort;
  /** One began, or is over. */
  onchange(): void;
  /** There is none left. */
  ondone(): void;
}

/** Runs turns in the order in which they were asked for. */
export class Turns {
  readonly #options: TurnsOptions;
  /** Entries of the user whose turn has not come, in order. */
  readonly #queue: string[] = [];
  readonly #providerIds = new Map<string, string>();
  /** Servers that did not say what tools they have; see {@link TurnOptions.missing}. */
  readonly #missing = new Map<string, string>();
  #turn: Turn | undefined;
  /** Turns in a row that no person began. */
  #appTurns = 0;
  #isFloodTold = false;
  #isWindingDown = false;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#turn !== undefined;
  }

  /**
   * Whether something more may be said: nobody could follow what many apps say at once, and each message costs an answer.
   *
   * @throws {GatewayError} `overloaded`, `stopping`
   */
  check(from: SpeakingApp | undefined): void {
    if (this.#isWindingDown) throw new GatewayError("stopping", "the gateway is stopping");
    const { appQueue, queue, appTurns } = this.#options.limits;
    if (this.#queue.length >= queue)
      throw overloaded(`${queue} messages wait for an answer: wait for it, or stop it`);
    if (!from) {
      this.#appTurns = 0;
      this.#isFloodTold = false;
    } else if (this.#queue.filter((id) => this.#isFromApp(id)).length >= appQueue) {
      this.#tellFlood(from, "sends messages faster than they are answered");
      throw overloaded(`${appQueue} messages of apps wait for an answer: wait for it`);
    } else if (this.#appTurns >= appTurns) {
      this.#tellFlood(from, "talks with the model on its own");
      throw overloaded("apps said too much in a row: a person must say something first");
    }
  }

  /** An entry of the user is to be answered. */
  add(item: string): void {
    this.#queue.push(item);
    if (this.#isFromApp(item)) this.#appTurns++;
    if (this.#turn) this.#mark(item, true);
    else void this.#run();
  }

  /** Stops the turn, and those that wait; or what concerns one entry. Returns whether there was anything. */
  stop(reason: string, item?: string): boolean {
    const waited = item === undefined ? this.#emptyQueue() : this.#leaveQueue(item);
    const turn = item === undefined || this.#turn?.isAbout(item) ? this.#turn : undefined;
    turn?.stop(reason);
    return waited || turn !== undefined;
  }

  /** No turn begins any more, and the one that is under way ends after its calls. */
  windDown(reason: string): void {
    this.#isWindingDown = true;
    if (this.#turn) this.#options.note("info", "stopping", UNANSWERED.stopping);
    this.#emptyQueue();
    this.#turn?.windDown(reason);
  }

  /** An entry was removed. */
  removed(item: string): void {
    this.#providerIds.delete(item);
  }

  /** The tools that a model is offered now. */
  async names(): Promise<NamedTools> {
    const { user, tools, apps } = this.#options;
    return nameTools(await tools.list(user), apps.tools, apps.numberOf);
  }

  /** What a model would be asked, if somebody said something now. What is not told yet is a message at the end. */
  async view(): Promise<ModelView> {
    const names = await this.names();
    const waiting = () => new Set(this.#queue);
    const told = messagesOf({ ...this.#options, waiting, providerIds: this.#providerIds }, names);
    const untold = this.#options.apps.untold();
    const next: ModelViewMessage[] = untold.length > 0 ? [{ role: "user", content: untold }] : [];
    const tools = names.tools.flatMap((tool): ModelViewTool[] => {
      const named = names.find(tool.name);
      if (!named) return [];
      const app = named.kind === "app" ? named.app : undefined;
      return [{ ...tool, server: named.server, tool: named.tool.name, ...(app && { app }) }];
    });
    return { system: SYSTEM_PROMPT, messages: [...told, ...next], tools };
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    for (;;) {
      const answers = this.#queue.shift();
      const { models, ...options } = this.#options;
      const model = models.current(options.user);
      if (answers === undefined) break;
      this.#mark(answers, false);
      // One that was there when it was said, and is not now.
      if (!model) {
        options.note("warning", "model-gone", UNANSWERED["model-gone"]);
        break;
      }
      const turn = new Turn({
        ...options,
        answers,
        model,
        providerIds: this.#providerIds,
        missing: this.#missing,
        waiting: () => new Set(this.#queue),
      });
      this.#turn = turn;
      options.onchange();
      await turn.run();
      this.#turn = undefined;
    }
    this.#emptyQueue();
    this.#options.onchange();
    this.#options.ondone();
  }

  #leaveQueue(item: string): boolean {
    const at = this.#queue.indexOf(item);
    if (at < 0) return false;
    this.#queue.splice(at, 1);
    this.#mark(item, false);
    return true;
  }

  /** Whether there was anything in it. */
  #emptyQueue(): boolean {
    const waiting = this.#queue.splice(0);
    for (const item of waiting) this.#mark(item, false);
    return waiting.length > 0;
  }

  /** Lets pages see which messages wait. */
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

  /** Once, until a person says something. */
  #tellFlood({ title }: SpeakingApp, what: string): void {
    if (!this.#isFloodTold) this.#options.note("warning", "app-flood", appFlood(title, what));
    this.#isFloodTold = true;
  }
}

const overloaded = (message: string): GatewayError => new GatewayError("overloaded", message);
