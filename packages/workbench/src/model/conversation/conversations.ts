/**
 * The user's conversations, and operations on them.
 *
 * @module
 */
import type { GatewayClient } from "@vitrine/host/gateway";
import type { ConversationSummary } from "@vitrine/wire";
import { messageOf } from "../messages/messages.js";
import { Observable } from "../observable.js";
import type { Recording } from "../recording/recording.js";
import type { PageConversation } from "./conversation.js";

/** Maximum listed; older ones are found by search. */
const MOST = 200;

/** Options of {@link RecentConversations}. */
export interface RecentConversationsOptions {
  readonly gateway: GatewayClient;
  /** The current conversation. */
  readonly conversation: Pick<PageConversation, "id" | "items" | "open" | "read" | "reopen">;
}

/** A list of conversations, newest first. It is up to date after the first {@link load}. */
export class RecentConversations extends Observable {
  readonly #options: RecentConversationsOptions;
  #list: readonly ConversationSummary[] = [];
  #search = "";
  #problem: string | undefined;
  #loading: Promise<void> | undefined;
  /** Whether the list changed since it was requested. */
  #isOld = false;
  #isWanted = false;

  constructor(options: RecentConversationsOptions) {
    super();
    this.#options = options;
    options.gateway.on("conversation/listed", () => {
      if (this.#isWanted) void this.load();
    });
  }

  get list(): readonly ConversationSummary[] {
    return this.#list;
  }

  /** Why there is no list, or the last failure. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Search words for titles and messages. */
  get search(): string {
    return this.#search;
  }
  set search(search: string) {
    if (search === this.#search) return;
    this.#search = search;
    this.changed();
    void this.load();
  }

  /** Requests the list. During a pending request, schedules one more, however often it is called. */
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

  /** Deletes one for good; everything in progress is stopped. */
  async delete(id: string): Promise<void> {
    const { gateway, conversation } = this.#options;
    await this.#act("It could not be deleted", async () => {
      // Its apps finish before their stored state is gone.
      if (id === conversation.id) await conversation.open();
      await gateway.request("conversation/delete", { id });
      if (id === conversation.id) await conversation.reopen();
    });
  }

  /**
   * A whole conversation as JSON for a file.
   *
   * @throws {VitrineError} if it cannot be read
   */
  async exportText(id: string): Promise<string> {
    const { seq: _seq, isRunning: _isRunning, ...conversation } = await this.#options.conversation.read(id);
    return JSON.stringify({ format: "vitrine-conversation", version: 1, ...conversation }, null, 2);
  }

  /** A whole conversation as Markdown. @throws {VitrineError} if it cannot be read */
  async exportMarkdown(id: string): Promise<string> {
    const { conversationMarkdown } = await import("../export/conversation-markdown.js");
    return conversationMarkdown(await this.#options.conversation.read(id));
  }

  /**
   * A whole conversation as one HTML file. The apps that are open in this page replay in it; secrets in their
   * messages are redacted.
   *
   * @throws {VitrineError} if it cannot be read
   */
  async exportHtml(id: string): Promise<string> {
    const [{ conversationHtml }, { parseMarkdown }, { recordApp }, { redact, SECRETS, TOKENS }] =
      await Promise.all([
        import("../export/conversation-html.js"),
        import("../markdown/markdown-parser.js"),
        import("../recording/recorder.js"),
        import("../redaction/redact.js"),
      ]);
    const conversation = await this.#options.conversation.read(id);
    const calls = id === this.#options.conversation.id ? this.#options.conversation.items : [];
    const recordings = new Map<string, Recording>();
    for (const item of calls) {
      if (item.kind !== "call" || !item.app) continue;
      // Without its document, an app is shown as its result.
      const recording = await recordApp(item.app).catch(() => undefined);
      if (recording) recordings.set(item.id, redact(recording, [SECRETS, TOKENS]));
    }
    return conversationHtml({ conversation, recordings, parse: parseMarkdown });
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
    // The gateway also sends a notification, but the user wants to see it immediately.
    await this.load();
    if (problem === undefined) return;
    this.#problem = problem;
    this.changed();
  }
}
