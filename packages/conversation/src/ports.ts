/**
 * The interfaces that conversations depend on: a store, tools, open apps, and a model. They know nothing else
 * of the gateway.
 *
 * @module
 */
import type { CallToolResult, Progress, Tool } from "@vitrine/protocol";
import type { ServerIdentity } from "@vitrine/servers";
import type { KeptConversations } from "./conversation-store.js";
import type { Model } from "./model/model.js";

/** Stores conversations durably. */
export type ConversationStore = Omit<KeptConversations, "rename">;

/** A tool of a server. */
export interface OfferedTool {
  readonly server: string;
  /** The identity of the server. */
  readonly identity: ServerIdentity;
  readonly tool: Tool;
  /** Whether it has an app to show. */
  readonly hasApp: boolean;
}

/** A call of a server's tool. */
export interface ServerCall {
  readonly server: string;
  /**
   * The identity of the intended server: another server that took its name is not called. Empty if there was
   * none.
   */
  readonly identity: ServerIdentity;
  readonly tool: string;
  readonly arguments: Record<string, unknown>;
  /** A unique key of the call. */
  readonly key: string;
  /** Whether it derives from a key of the caller: the same call may have been made before. */
  readonly isCallersKey: boolean;
  readonly by: "person" | "model";
  readonly conversation: string;
  readonly item: string;
}

/** Options of a call. */
export interface ToolCallOptions {
  /** Cancels the call, also on the server. */
  readonly signal: AbortSignal;
  readonly onprogress: (progress: Progress) => void;
}

/** The outcome of a call whose answer was lost. `cancelled`: it never ran. */
export interface RecalledCall {
  readonly outcome: "ok" | "failed" | "cancelled" | "indeterminate";
  readonly result?: CallToolResult | undefined;
}

/** The tools of a user's servers. Implementations apply the guard; nothing is checked here. */
export interface ToolPort {
  /**
   * Lists the tools of all available servers, without those that are for apps only. Called for every request
   * to the model.
   *
   * @param missing servers whose tools are unknown, and why. Servers that fail are added, servers that answer
   * are removed;
   * servers in the map are not waited for
   */
  list(user: string, missing?: Map<string, string>): Promise<readonly OfferedTool[]>;
  /** The identity of the server that has this name now; undefined if there is none. */
  identityOf(server: string): ServerIdentity | undefined;
  /** Finds a tool for a call by hand. */
  find(user: string, server: string, tool: string): Promise<OfferedTool | undefined>;
  /** A server's own error is a result; any other failure rejects. */
  call(user: string, call: ServerCall, options: ToolCallOptions): Promise<CallToolResult>;
  /**
   * The outcome of a call that an earlier gateway process was making with this key. Never rejects.
   *
   * @param at when the call was made, in milliseconds since 1970: the outcome of a call older than the audit
   * log is unknown
   */
  recall(user: string, key: string, at: number): Promise<RecalledCall>;
}

/** A call of an app's tool. */
export interface AppCall {
  readonly view: string;
  /** The name of the calling agent, as it gives it; undefined for the model. */
  readonly agent?: string | undefined;
  readonly tool: Tool;
  /** The tool as the app offers it now; undefined if it does not offer it any more. */
  current(): Tool | undefined;
  readonly arguments: Record<string, unknown>;
  readonly conversation: string;
  readonly item: string;
}

/** Open apps. Implementations ask the user first, unless the tool is read-only. */
export interface AppPort {
  call(user: string, call: AppCall, signal: AbortSignal): Promise<CallToolResult>;
}

/** Defaults of all conversations. */
export interface AnswerDefaults {
  readonly system?: string | undefined;
  readonly temperature?: number | undefined;
  /** Whether the model writes the titles of conversations; true by default. */
  readonly titles?: boolean | undefined;
}

/** Provides the model. */
export interface ModelPort {
  /**
   * The user's model; undefined if there is none, so that tools can only be called by hand.
   *
   * @param id the model that the user chose for this conversation or message, in place of the usual one
   */
  current(user: string, id?: string): Model | undefined;
  /** Used where a conversation has no settings of its own; without it, the model writes no titles. */
  readonly defaults?: AnswerDefaults | undefined;
  /** Explains to the user how to get a model. */
  readonly help: string;
}

/** All dependencies of conversations. */
export interface ConversationPorts {
  readonly store: ConversationStore;
  readonly tools: ToolPort;
  readonly apps: AppPort;
  readonly models: ModelPort;
}
