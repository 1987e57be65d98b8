/**
 * Requests that add entries to a conversation: messages, retries and calls, each answered when it is stored.
 *
 * @module
 */

import { type ContentBlock, INVALID_PARAMS, VitrineError } from "@vitrine/protocol";
import type { ServerIdentity } from "@vitrine/servers";
import {
  type AnswerSettings,
  type CallItem,
  type ConversationItem,
  forkBefore,
  GatewayError,
  type SpeakingApp,
} from "@vitrine/wire";
import { checkedSettings } from "./answer-settings.js";
import type { ConversationOptions, ConversationParts } from "./conversation-parts.js";
import { itemIdOf, newItemId, unknownItem } from "./item-id.js";
import { ModelError } from "./model/model-error.js";
import { isSameCall, isSameMessage } from "./same-request.js";
import { isOwnTitle, titleOf } from "./title.js";

/** Options of a call for the user or for an agent. */
export interface NewCallOptions {
  /** Data of the page, which is stored with the call. */
  readonly page?: Record<string, unknown> | undefined;
  /** The caller's own id of the call: the same call with the same key is made once. */
  readonly key?: string | undefined;
  /** The external agent that makes the call. */
  readonly agent?: string | undefined;
  /** The identity of the server; by default that of the server that has the name now. */
  readonly identity?: ServerIdentity | undefined;
}

type Input = Record<string, unknown>;

/** Handles the requests; see the methods of the same names in `Conversation`. */
export class EntryRequests {
  readonly #options: Pick<ConversationOptions, "user" | "clock" | "models" | "tools">;
  readonly #parts: ConversationParts;
  #isClosed = false;

  constructor(options: ConversationOptions, parts: ConversationParts) {
    this.#options = options;
    this.#parts = parts;
  }

  /** Refuses all further requests. */
  close(): void {
    this.#isClosed = true;
  }

  /** @throws {GatewayError} `stopping` if the conversation is closed */
  checkOpen(): void {
    if (this.#isClosed) throw new GatewayError("stopping", "the conversation is closed: open it again");
  }

  async send(
    content: readonly ContentBlock[],
    from?: SpeakingApp,
    key?: string,
    model?: string,
  ): Promise<string> {
    const { journal, turns, notes } = this.#parts;
    const id = this.#idFor(key);
    const said = journal.find(id);
    if (said) return this.#again(said, said.kind === "user" && isSameMessage(said, content));
    this.#checkRoom();
    if (content.length === 0) throw new VitrineError(INVALID_PARAMS, "a message must not be empty");
    turns.check(from);
    this.#checkModel(model);
    const { clock, models } = this.#options;
    journal.add({
      kind: "user",
      id,
      at: clock.now(),
      content: [...content],
      ...(from && { from }),
      ...(journal.isAnsweredElsewhere && { isQueued: true }),
    });
    this.#entitle();
    if (!journal.isAnsweredElsewhere) {
      if (turns.modelFor(model)) turns.add(id, model);
      else notes.noModel(journal.settings.model, models.help);
    }
    await this.#parts.stored();
    return id;
  }

  /** @param key the caller's own id of the message: a repeated request has no second effect */
  async edit(id: string, content: readonly ContentBlock[], key?: string): Promise<string> {
    const { journal } = this.#parts;
    // A page repeats requests after its session was lost.
    if (key !== undefined && journal.find(this.#idFor(key))) return this.send(content, undefined, key);
    const item = journal.items.find((each) => each.id === id);
    if (item?.kind !== "user" || item.from)
      throw new VitrineError(INVALID_PARAMS, "only a message of the user that is shown can be edited");
    this.#checkFork();
    if (content.length === 0) throw new VitrineError(INVALID_PARAMS, "a message must not be empty");
    const place = forkBefore(journal.all, id);
    if (place) journal.fork(place);
    return this.send(content, undefined, key);
  }

  async regenerate(id: string, model?: string): Promise<void> {
    const { journal, turns, notes } = this.#parts;
    const item = journal.items.find((each) => each.id === id);
    const { answers } = item?.kind === "model" ? item : {};
    const message = journal.items.find((each) => each.id === answers);
    if (message?.kind !== "user" || answers === undefined)
      throw new VitrineError(
        INVALID_PARAMS,
        "only an answer that is shown, with its message, can be regenerated",
      );
    this.#checkFork();
    turns.check(undefined);
    this.#checkModel(model);
    const { models } = this.#options;
    if (!turns.modelFor(model)) notes.noModel(journal.settings.model, models.help);
    else {
      journal.fork({ parent: message.inVersion, after: answers });
      turns.add(answers, model);
    }
    await this.#parts.stored();
  }

  async showVersion(id: string | undefined): Promise<void> {
    const { journal } = this.#parts;
    if (id !== undefined && journal.find(id)?.kind !== "version") throw unknownItem(id);
    this.checkOpen();
    this.#checkQuiet();
    journal.showVersion(id);
    await this.#parts.stored();
  }

  async retry(id: string, model?: string): Promise<void> {
    const { journal, turns, notes } = this.#parts;
    const item = journal.find(id);
    if (!item) throw unknownItem(id);
    const { answers } = item.kind === "model" ? item : {};
    if (item.kind !== "model" || (item.state === "done" && !item.problem) || item.state === "streaming")
      throw new VitrineError(
        INVALID_PARAMS,
        "only an answer that failed, was stopped or is empty can be retried",
      );
    if (answers === undefined || !journal.find(answers))
      throw new VitrineError(INVALID_PARAMS, "the message was removed: send it again");
    this.#checkRoom();
    turns.check(undefined);
    this.#checkModel(model);
    const { models } = this.#options;
    if (!turns.modelFor(model)) notes.noModel(journal.settings.model, models.help);
    else {
      if (!journal.items.some((each) => each.kind === "call" && each.turn === id)) journal.remove(id);
      turns.add(answers, model);
    }
    await this.#parts.stored();
  }

  configure(settings: AnswerSettings): void {
    this.checkOpen();
    const checked = checkedSettings(settings);
    const { journal } = this.#parts;
    // The current choice may be unavailable for now, and other settings can still change.
    if (checked.model !== journal.settings.model) this.#checkModel(checked.model);
    journal.setSettings(checked);
  }

  async call(server: string, tool: string, input: Input, options: NewCallOptions): Promise<string> {
    const { page, key, agent } = options;
    const { journal, calls } = this.#parts;
    const id = this.#idFor(key);
    const made = journal.find(id);
    if (made) return this.#again(made, made.kind === "call" && isSameCall(made, { server, tool, input }));
    this.#checkRoom();
    const identity = options.identity ?? this.#options.tools.identityOf(server) ?? "";
    const item: CallItem = {
      kind: "call",
      id,
      at: this.#options.clock.now(),
      by: "person",
      ...(agent !== undefined && { agent }),
      server,
      identity,
      tool,
      state: "running",
      input,
      hasApp: false,
      ...(page && { page }),
    };
    void calls.byHand(item, key !== undefined);
    this.#entitle();
    await this.#parts.stored();
    return item.id;
  }

  async callApp(view: string, name: string, input: Input, agent?: string): Promise<string> {
    this.#checkRoom();
    const { apps, calls } = this.#parts;
    const open = apps.open.find((each) => each.view === view);
    const tool = open?.tools.find((each) => each.name === name);
    if (!open || !tool)
      throw new GatewayError("view-unknown", "the app is closed, or no longer offers this tool");
    const item: CallItem = {
      kind: "call",
      id: newItemId(),
      at: this.#options.clock.now(),
      by: "model",
      ...(agent !== undefined && { agent }),
      server: open.app.server,
      identity: "",
      tool: name,
      app: open.app,
      state: "running",
      input,
      hasApp: false,
    };
    void calls.ofApp(item, view, tool);
    await this.#parts.stored();
    return item.id;
  }

  async callAsModel(name: string, input: Input): Promise<string> {
    const { turns, calls } = this.#parts;
    const named = (await turns.names()).find(name);
    this.#checkRoom();
    // It belongs to an answer without text, so the model sees it as its own call.
    const item = calls.start(newItemId(), name, named);
    calls.write(item, JSON.stringify(input));
    void calls.written(item, named);
    this.#entitle();
    await this.#parts.stored();
    return item.id;
  }

  /**
   * Derives the id from the key, so that a repeated request has no second effect: a page repeats requests
   * after its session was lost.
   */
  #idFor(key: string | undefined): string {
    return key === undefined ? newItemId() : itemIdOf(this.#options.user, key);
  }

  /** Acknowledges a repeated request like the first one, when the entry is in the store. */
  async #again({ id }: ConversationItem, isSame: boolean): Promise<string> {
    if (!isSame) {
      const message = "this key was used for another request in the conversation: use a new key";
      throw new GatewayError("conflict", message);
    }
    await this.#parts.stored();
    return id;
  }

  #checkFork(): void {
    this.#checkRoom();
    this.#checkQuiet();
    if (this.#parts.journal.isAnsweredElsewhere)
      throw new VitrineError(
        INVALID_PARAMS,
        "an agent has read the conversation: what it read cannot be changed",
      );
  }

  /** Entries that arrive belong to the version that is shown. */
  #checkQuiet(): void {
    if (this.#parts.journal.isRunning)
      throw new GatewayError("overloaded", "something is still running: wait, or stop it first");
  }

  #checkRoom(): void {
    this.checkOpen();
    this.#parts.room.check();
  }

  /** @throws {ModelError} `model-unknown` if the model that was chosen for the message cannot be used */
  #checkModel(model: string | undefined): void {
    if (model === undefined || this.#parts.turns.modelFor(model)) return;
    const shown = JSON.stringify(model.slice(0, 100));
    throw new ModelError("model-unknown", `the model ${shown} cannot be used now; choose another`);
  }

  #entitle(): void {
    const { journal } = this.#parts;
    const { items, title } = journal;
    if (isOwnTitle(title, items)) journal.setTitle(titleOf(items));
  }
}
