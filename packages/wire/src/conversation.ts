/**
 * Conversations, as a page and a gateway speak of them: the gateway keeps them and runs their turns; pages show them.
 *
 * @module
 */
import type { CallToolResult, ContentBlock, Progress, Tool } from "@vitrine/protocol";

/** A conversation in a list. Times are milliseconds since 1970. */
export interface ConversationSummary {
  id: string;
  title: string;
  startedAt: number;
  changedAt: number;
  /** Something in it is under way. */
  isRunning: boolean;
  /** Where a search found its words. */
  match?: ConversationMatch | undefined;
}

/** Where a search found its words, if not in the title alone. */
export interface ConversationMatch {
  /** The entry with the first of the words that the title does not have. */
  item: string;
  /** Whose words they are: `You`, the model, an app, or the tool of a call. */
  who: string;
  /** The words around the match, in one line; what is left out is `…`. */
  text: string;
}

/** Who says something in a person's place: an app, by `ui/message`. */
export interface SpeakingApp {
  /** The entry whose app it is. */
  item: string;
  server: string;
  title: string;
}

/** What the person said, or an app in their place. */
export interface UserItem {
  kind: "user";
  id: string;
  at: number;
  content: ContentBlock[];
  from?: SpeakingApp | undefined;
  /** It waits: the model answers something else first, or the agent has not read it yet. */
  isQueued?: boolean | undefined;
}

/** What the model said. Its calls are entries of their own, after it. */
export interface ModelItem {
  kind: "model";
  id: string;
  at: number;
  /** The entry of the user that it answers: others may have been said in between, and wait for their turn. */
  answers?: string | undefined;
  /** Which model, as a person reads it. */
  model: string;
  text: string;
  state: "streaming" | "done" | "stopped" | "failed";
  /** Why it failed; or, of one that is `done`, that the model said nothing (`model-empty`). */
  problem?: { code: string; message: string } | undefined;
  usage?: ModelUsage | undefined;
}

/** Tokens. */
export interface ModelUsage {
  input: number;
  output: number;
}

/**
 * A call of a tool: a server's, or that of an app that is open.
 *
 * - `writing`: the model still writes its arguments; `inputText` grows
 * - `running`: it is under way, or a person is asked whether it may be
 */
export interface CallItem {
  kind: "call";
  id: string;
  at: number;
  by: "person" | "model";
  /** The agent that called it, by the name that it gives itself: its own host has asked the person. */
  agent?: string | undefined;
  /** The answer of the model that it belongs to. */
  turn?: string | undefined;
  server: string;
  /**
   * Which server answers it: apps of another one that is called the same are not shown it. Empty if there was none; absent in
   * entries that are older than identities.
   */
  identity?: string | undefined;
  tool: string;
  /** It is a tool of the app of this entry, and `tool` is its own name there. */
  app?: SpeakingApp | undefined;
  state: "writing" | "running" | "done" | "failed" | "cancelled";
  /** The JSON of the arguments, as far as it is written. Only while it is `writing`. */
  inputText?: string | undefined;
  input?: Record<string, unknown> | undefined;
  /** There were secrets among the arguments, and they were not kept. */
  isInputCut?: boolean | undefined;
  progress?: Progress | undefined;
  result?: CallToolResult | undefined;
  /** There was a result, too large to be kept. */
  isResultLost?: boolean | undefined;
  problem?: string | undefined;
  /** It failed, and nobody knows whether it ran: the answer was lost, or came too late. */
  isIndeterminate?: boolean | undefined;
  endedAt?: number | undefined;
  /** The tool has an app to show. */
  hasApp: boolean;
  /** What the page wants to remember with it: the gateway does not look into it. */
  page?: Record<string, unknown> | undefined;
}

/** What a person should know: a limit was reached, the model could not be asked, a server wanted an answer of it. */
export interface NoteItem {
  kind: "note";
  id: string;
  at: number;
  level: "info" | "warning" | "error";
  code: string;
  text: string;
}

/** One entry. */
export type ConversationItem = UserItem | ModelItem | CallItem | NoteItem;

/** What an app wants the model to know (`ui/update-model-context`): the last word of each app counts. */
export interface AppContext {
  /** The entry whose app it is. */
  item: string;
  server: string;
  title: string;
  at: number;
  content?: ContentBlock[] | undefined;
  structuredContent?: Record<string, unknown> | undefined;
  /** The app is closed. */
  isStale: boolean;
  /** The model has received it. */
  isTold?: boolean | undefined;
  /** What the model received last from this app, if that was something else. */
  before?: Pick<AppContext, "content" | "structuredContent"> | undefined;
}

/** All of a conversation. */
export interface ConversationState extends ConversationSummary {
  items: ConversationItem[];
  contexts: AppContext[];
  /** All that was used so far. */
  usage: ModelUsage;
  /** The agents that read it in place of a model, such as `Claude Code 2.1.0`; undefined where a model answers. */
  agents?: string[] | undefined;
  /** Counts the changes: the next notice has the next number, and with another one something was missed. */
  seq: number;
}

/** What became of a conversation. */
export type ConversationChange =
  /** A new entry, at the end; or what became of one. */
  | { kind: "item"; item: ConversationItem }
  /** The model went on: added to the `text` of its entry. */
  | { kind: "text"; item: string; text: string }
  /** Added to the `inputText` of a call. */
  | { kind: "input"; item: string; text: string }
  | { kind: "progress"; item: string; progress: Progress }
  | { kind: "removed"; item: string }
  | { kind: "contexts"; contexts: AppContext[] }
  | {
      kind: "state";
      title: string;
      isRunning: boolean;
      usage: ModelUsage;
      agents?: string[] | undefined;
    };

/** A model that can be chosen. */
export interface ModelSummary {
  /** `provider/name`, such as `openai/gpt-5`. */
  id: string;
  label: string;
  /** Why it cannot be used now, and what to do; undefined if it can. */
  problem?: string | undefined;
}

/** Which model answers. */
export interface ModelState {
  models: ModelSummary[];
  /** The `id` of the one that answers; undefined: tools are called by hand. */
  current?: string | undefined;
  /** How to have one, where there is none. */
  help: string;
}

/** A server, or an app, wants the model to say something (`sampling/createMessage`). The person may change what is asked. */
export interface SamplingQuestion {
  /** The gateway's own name for it. */
  id: string;
  server: string;
  /** The app that asks; undefined for the server itself. */
  app?: SpeakingApp | undefined;
  model: string;
  systemPrompt?: string | undefined;
  messages: { role: "user" | "assistant"; content: ContentBlock[] }[];
  maxTokens: number;
  temperature?: number | undefined;
  /** Words that end the answer where the model would write them. */
  stopSequences?: string[] | undefined;
}

export interface SamplingAnswer {
  answer: "allow" | "deny";
  /** In place of what was asked. */
  systemPrompt?: string | undefined;
  messages?: SamplingQuestion["messages"] | undefined;
  maxTokens?: number | undefined;
}

/** A server wants to know something of the person (`elicitation/create`). */
export type ElicitationQuestion = {
  id: string;
  server: string;
  message: string;
} & (
  | { mode: "form"; schema: Record<string, unknown> }
  /** With an `elicitationId`, the server's own name for it, the server may say later that it is done. */
  | { mode: "url"; url: string; elicitationId?: string | undefined }
);

export interface ElicitationAnswer {
  action: "accept" | "decline" | "cancel";
  content?: Record<string, unknown> | undefined;
}

/** One message of what a model is told. */
export interface ModelViewMessage {
  role: "user" | "assistant" | "tool";
  content: readonly ModelViewPart[];
}

export type ModelViewPart =
  | { type: "text"; text: string }
  | { type: "image"; data: string; mimeType: string }
  | { type: "call"; id: string; name: string; arguments: Readonly<Record<string, unknown>> }
  | { type: "result"; id: string; name: string; text: string; isError: boolean };

/** A tool that a model is offered. */
export interface ModelViewTool {
  /** The name by which the model calls it. */
  name: string;
  description?: string | undefined;
  inputSchema: Readonly<Record<string, unknown>>;
  server: string;
  /** Its own name, at its server or in its app. */
  tool: string;
  /** The app that offers it. */
  app?: SpeakingApp | undefined;
}

/** What a model would be asked, if somebody said something now. */
export interface ModelView {
  system: string;
  messages: readonly ModelViewMessage[];
  tools: readonly ModelViewTool[];
}

/** What a page asks on channel `.` about conversations. */
export interface ConversationRequests {
  /** Newest first; with `search` those that have these words in their title or in what was said. */
  "conversation/list": {
    params: { search?: string | undefined; limit?: number | undefined; before?: number | undefined };
    result: { conversations: ConversationSummary[] };
  };
  /** All of one, without an `id` a new one. From now on this page hears what becomes of it. */
  "conversation/open": { params: { id?: string | undefined }; result: ConversationState };
  /** This page hears of it no more. */
  "conversation/leave": { params: { id: string }; result: Record<string, never> };
  /** Says something: as the person, or with `view` as an app that is open. The model answers, if there is one. */
  "conversation/send": {
    params: { id: string; content: ContentBlock[]; view?: string | undefined };
    result: { item: string };
  };
  /** Calls a tool by hand. */
  "conversation/call": {
    params: {
      id: string;
      server: string;
      tool: string;
      arguments?: Record<string, unknown> | undefined;
      page?: Record<string, unknown> | undefined;
    };
    result: { item: string };
  };
  /** Asks the model again what an answer that failed, was stopped or is empty should have answered. */
  "conversation/retry": { params: { id: string; item: string }; result: Record<string, never> };
  /** Stops all that is under way, or one call. */
  "conversation/stop": {
    params: { id: string; item?: string | undefined };
    result: { stopped: boolean };
  };
  /** What an app that is open wants the model to know. */
  "conversation/context": {
    params: {
      id: string;
      view: string;
      content?: ContentBlock[] | undefined;
      structuredContent?: Record<string, unknown> | undefined;
    };
    result: Record<string, never>;
  };
  /** The tools that an app which is open offers to the model; none when it has ended. */
  "conversation/app-tools": {
    params: { id: string; view: string; tools: Tool[] };
    result: Record<string, never>;
  };
  /** What the page wants to remember with a call. */
  "conversation/keep": {
    params: { id: string; item: string; page: Record<string, unknown> };
    result: Record<string, never>;
  };
  "conversation/remove": { params: { id: string; item: string }; result: Record<string, never> };
  "conversation/rename": { params: { id: string; title: string }; result: Record<string, never> };
  "conversation/delete": { params: { id: string }; result: Record<string, never> };
  /** What a model would be told now, and which tools it would be offered. Only in test mode. */
  "conversation/model-view": { params: { id: string }; result: ModelView };
  /** Calls a tool as the model would, by the name that it has for the model. Only in test mode. */
  "conversation/model-call": {
    params: { id: string; name: string; arguments?: Record<string, unknown> | undefined };
    result: { item: string };
  };
  "model/state": { params: Record<string, never>; result: ModelState };
  /** Which model answers from now on; without one none does. */
  "model/choose": { params: { model?: string | undefined }; result: ModelState };
}

/** What a page is asked on channel `.` about conversations. */
export interface ConversationAsks {
  /** Calls a tool of an app that is open in this page. */
  "conversation/app-tool": {
    params: { view: string; name: string; arguments: Record<string, unknown> };
    result: CallToolResult;
  };
  "gateway/sample": { params: SamplingQuestion; result: SamplingAnswer };
  "gateway/elicit": { params: ElicitationQuestion; result: ElicitationAnswer };
}

/** What a page is told on channel `.` about conversations. */
export interface ConversationNotices {
  /** In order, and one number after the other. A page that missed one opens the conversation again. */
  "conversation/changed": { id: string; seq: number; changes: ConversationChange[] };
  /** A conversation is new, gone, or has another title: the list is not what it was. */
  "conversation/listed": Record<string, never>;
  "model/changed": ModelState;
  /** A server has what it sent a person to another page for (`notifications/elicitation/complete`). */
  "gateway/elicited": { server: string; elicitationId: string };
}
