/**
 * The conversations that the person has, and what can be done to them without showing them.
 *
 * @module
 */
import type { Gateway } from "@vitrine/host/gateway";
import type { ConversationSummary } from "@vitrine/wire";
import { messageOf } from "../messages/messages.js";
import { Observable } from "../observable.js";
import type { Conversation } from "./conversation.js";

/** How many are listed: who looks for an older one searches. */
const MOST = 200;

/** What {@link Conversations} stand on. */
export interface ConversationsOptions {
  readonly gateway: Gateway;
  /** The one that is shown. */
  readonly conversation: Pick<Conversation, "id" | "open" | "read" | "reopen">;
}

/** A list of conversations, newest first. It is up to date from the first {@link load} on. */
export class Conversations extends Observable {
  readonly #options: ConversationsOptions;
  #list: readonly ConversationSummary[] = [];
  #search = "";
  #problem: string | undefined;
  #loading: Promise<void> | undefined;
  /** The list is not what it was when it was asked for. */
  #isOld = false;
  #isWanted = false;

  constructor(options: ConversationsOptions) {
    super();
    this.#options = options;
    options.gateway.on("conversation/listed", () => {
      if (this.#isWanted) void this.load();
    });
  }

  get list(): readonly ConversationSummary[] {
    return this.#list;
  }

  /** Why there is no list, or what could not be done. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Words that those which are listed have in their title, or in what was said. */
  get search(): string {
    return this.#search;
  }
  set search(search: string) {
    if (search === this.#search) return;
    this.#search = search;
    this.changed();
    void this.load();
  }

  /** Asks for the list. While it is asked for already, once more after that, however often it is called. */
  async load(): Promise<void> {
    this.#isWanted = true;
    this.#isOld = true;
    this.#loading ??= this.#read().finally(() => {
      this.#loading = undefined;
    });
    await this.#loading;
  }

  async rename(id: string, title: string): Promise<void> {
    await this.#act("It could not be renamed", async () => {
      await this.#options.gateway.request("conversation/rename", { id, title });
    });
  }

  /** Deletes one, for good; what is under way in it is stopped. */
  async delete(id: string): Promise<void> {
    const { gateway, conversation } = this.#options;
    await this.#act("It could not be deleted", async () => {
      // Its apps finish before what they may want to keep is gone.
      if (id === conversation.id) await conversation.open();
      await gateway.request("conversation/delete", { id });
      if (id === conversation.id) await conversation.reopen();
    });
  }

  /**
   * All of one, as JSON for a file.
   *
   * @throws {VitrineError} when it cannot be read
   */
  async exportText(id: string): Promise<string> {
    const { seq: _seq, isRunning: _isRunning, ...conversation } = await this.#options.conversation.read(id);
    return JSON.stringify({ format: "vitrine-conversation", version: 1, ...conversation }, null, 2);
  }

  async #read(): Promise<void> {
    while (this.#isOld) {
      this.#isOld = false;
      const search = this.#search.trim();
      try {
        const { conversations } = await this.#options.gateway.request("conversation/list", {
          limit: MOST,
          ...(search !== "" && { search }),
        });
        this.#list = conversations;
        this.#problem = undefined;
      } catch (error) {
        this.#problem = messageOf(error);
      }
      this.changed();
    }
  }

  async #act(failed: string, act: () => Promise<void>): Promise<void> {
    let problem: string | undefined;
    try {
      await act();
    } catch (error) {
      problem = `${failed}: ${messageOf(error)}`;
    }
    // The gateway says so, too, if it is another one's doing; who does it wants to see it at once.
    await this.load();
    if (problem === undefined) return;
    this.#problem = problem;
    this.changed();
  }
}
