/**
 * What conversations stand on: a store, tools, apps that are open, and a model. They know nothing else of the gateway.
 *
 * @module
 */
import type { CallToolResult, Progress, Tool } from "@vitrine/protocol";
import type { ServerIdentity } from "@vitrine/servers";
import type { KeptConversations } from "./conversation-store.js";
import type { Model } from "./model/model.js";

/** Where conversations are kept. What was written is there after a crash. */
export type ConversationStore = Omit<KeptConversations, "rename">;

/** A tool of a server. */
export interface OfferedTool {
  readonly server: string;
  /** Which server it is. */
  readonly identity: ServerIdentity;
  readonly tool: Tool;
  /** It has an app to show. */
  readonly hasApp: boolean;
}

/** A call of a server's tool. */
export interface ServerCall {
  readonly server: string;
  /** Which server is meant: another one that has its name by now is not called. Empty if there was none. */
  readonly identity: ServerIdentity;
  readonly tool: string;
  readonly arguments: Record<string, unknown>;
  /** The same for the same call, and for no other. */
  readonly key: string;
  readonly by: "person" | "model";
  readonly conversation: string;
  readonly item: string;
}

/** How a call is followed. */
export interface CallOptions {
  /** Takes the call back; the server is told. */
  readonly signal: AbortSignal;
  readonly onprogress: (progress: Progress) => void;
}

/** What is known of a call whose answer nobody heard. `cancelled`: it never ran. */
export interface RecalledCall {
  readonly outcome: "ok" | "failed" | "cancelled" | "indeterminate";
  readonly result?: CallToolResult | undefined;
}

/** The tools of a user's servers. Whoever implements it asks the guard: nothing is checked here. */
export interface ToolPort {
  /**
   * Of all servers that are there; those that are for apps alone are not offered to the model. It is asked every round.
   *
   * @param missing servers whose tools nobody knows, and why. Those that fail are added, those that answer taken out; those in it
   *   are not waited for
   */
  list(user: string, missing?: Map<string, string>): Promise<readonly OfferedTool[]>;
  /** Which server has this name now; undefined if there is none. */
  identityOf(server: string): ServerIdentity | undefined;
  /** One tool, for a call by hand. */
  find(user: string, server: string, tool: string): Promise<OfferedTool | undefined>;
  /** A server's own error is a result; what fails otherwise rejects. */
  call(user: string, call: ServerCall, options: CallOptions): Promise<CallToolResult>;
  /**
   * What became of a call that an earlier process of the gateway was making under this key. Never rejects.
   *
   * @param at when the call was made, in milliseconds since 1970: nobody knows what became of one that is older than the audit log
   */
  recall(user: string, key: string, at: number): Promise<RecalledCall>;
}

/** A call of a tool of an app. */
export interface AppCall {
  readonly view: string;
  /** The agent that calls, by the name that it gives itself; undefined for the model. */
  readonly agent?: string | undefined;
  readonly tool: Tool;
  /** The tool as the app offers it now; undefined if it does not offer it any more. */
  current(): Tool | undefined;
  readonly arguments: Record<string, unknown>;
  readonly conversation: string;
  readonly item: string;
}

/** Apps that are open. Whoever implements it asks the person first, unless the tool only reads (A06). */
export interface AppPort {
  call(user: string, call: AppCall, signal: AbortSignal): Promise<CallToolResult>;
}

/** Who answers. */
export interface ModelPort {
  /** The model that the user has chosen; undefined: nobody answers, and tools are called by hand. */
  current(user: string): Model | undefined;
  /** How to have one, for a person to read. */
  readonly help: string;
}

/** All that conversations stand on. */
export interface ConversationPorts {
  readonly store: ConversationStore;
  readonly tools: ToolPort;
  readonly apps: AppPort;
  readonly models: ModelPort;
}
