/**
 * Messages about conversations between a page and a gateway. The gateway stores conversations and runs their
 * turns; pages show them.
 *
 * @module
 */
import type { CallToolResult, ContentBlock, Progress, Tool } from "@vitrine/protocol";
import type { AnswerSettings, ModelState, ModelUsage } from "./models.js";

/** A conversation in a list. Times are milliseconds since 1970. */
export interface ConversationSummary {
  id: string;
  title: string;
  startedAt: number;
  changedAt: number;
  /** Whether a turn or call is in progress. */
  isRunning: boolean;
  /** Where a search matched. */
  match?: ConversationMatch | undefined;
}

/** Where a search matched, if not only in the title. */
export interface ConversationMatch {
  /** The entry with the first matching word that the title does not have. */
  item: string;
  /** The author of the text: `You`, the model, an app, or the tool of a call. */
  who: string;
  /** The text around the match, on one line; omissions are `…`. */
  text: string;
}

/** An app that speaks for the user, through `ui/message`. */
export interface SpeakingApp {
  /** The entry of the app. */
  item: string;
  server: string;
  title: string;
}

/** A message of the user, or of an app on the user's behalf. */
export interface UserItem {
  kind: "user";
  id: string;
  at: number;
  content: ContentBlock[];
  from?: SpeakingApp | undefined;
  /** Whether it is queued: the model answers something else first, or the agent has not read it yet. */
  isQueued?: boolean | undefined;
  /** The version of the conversation that it belongs to; see {@link VersionItem}. */
  inVersion?: string | undefined;
}

/** A message of the model. Its calls are separate entries after it. */
export interface ModelItem {
  kind: "model";
  id: string;
  at: number;
  /** The user's entry that it answers: others may have been added in between and are queued. */
  answers?: string | undefined;
  /** Display name of the model. */
  model: string;
  text: string;
  state: "streaming" | "done" | "stopped" | "failed";
  /** Why it failed. If it is `done`: that the model wrote nothing (`model-empty`). */
  problem?: { code: string; message: string } | undefined;
  usage?: ModelUsage | undefined;
  /** The version of the conversation that it belongs to; see {@link VersionItem}. */
  inVersion?: string | undefined;
}

/**
 * A call of a tool of a server or of an open app.
 *
 * - `writing`: the model still writes its arguments; `inputText` grows
 * - `running`: it is in progress, or waits for the user's approval
 */
export interface CallItem {
  kind: "call";
  id: string;
  at: number;
  by: "person" | "model";
  /** The agent that made the call, by its own name. Its own host has asked the user for approval. */
  agent?: string | undefined;
  /** The model's entry that it belongs to. */
  turn?: string | undefined;
  server: string;
  /**
   * The identity of the server that answers it, so that apps of another server with the same name are not
   * shown it. Empty if there was none; absent in entries from before identities existed.
   */
  identity?: string | undefined;
  tool: string;
  /** The app whose tool was called, under the tool's own name. */
  app?: SpeakingApp | undefined;
  state: "writing" | "running" | "done" | "failed" | "cancelled";
  /** The JSON of the arguments so far. Only while `writing`. */
  inputText?: string | undefined;
  input?: Record<string, unknown> | undefined;
  /** Whether secrets were removed from the arguments. */
  isInputCut?: boolean | undefined;
  progress?: Progress | undefined;
  result?: CallToolResult | undefined;
  /** Whether the result was too large to store. */
  isResultLost?: boolean | undefined;
  problem?: string | undefined;
  /** Whether it failed with an unknown outcome: the answer was lost, or came too late. */
  isIndeterminate?: boolean | undefined;
  endedAt?: number | undefined;
  /** Whether the tool has an app to show. */
  hasApp: boolean;
  /** Data that the page stores with it. The gateway does not read it. */
  page?: Record<string, unknown> | undefined;
  /** The version of the conversation that it belongs to; see {@link VersionItem}. */
  inVersion?: string | undefined;
}

/**
 * A note for the user: a limit was reached, the model was not reachable, a server wanted an answer from it.
 */
export interface NoteItem {
  kind: "note";
  id: string;
  at: number;
  level: "info" | "warning" | "error";
  code: string;
  text: string;
  /** The version of the conversation that it belongs to; see {@link VersionItem}. */
  inVersion?: string | undefined;
}

/**
 * Another version of the rest of a conversation, from an entry on: after a message was edited, or an answer
 * was regenerated. Entries name the version in which they were made; those of the first version name none.
 * `shownItems` selects the entries that are shown.
 */
export interface VersionItem {
  kind: "version";
  id: string;
  at: number;
  /** The version that it leaves; undefined for the first one. */
  parent?: string | undefined;
  /** The last entry that it shares with its parent; undefined if it shares none. */
  after?: string | undefined;
  /** Whether it is the one that is shown. Without any, the first one is. */
  isShown?: boolean | undefined;
}

/** An entry of a conversation. */
export type ConversationItem = UserItem | ModelItem | CallItem | NoteItem | VersionItem;

/** Context from an app for the model (`ui/update-model-context`). The latest update of each app counts. */
export interface AppContext {
  /** The entry of the app. */
  item: string;
  server: string;
  title: string;
  at: number;
  content?: ContentBlock[] | undefined;
  structuredContent?: Record<string, unknown> | undefined;
  /** Whether the app is closed. */
  isStale: boolean;
  /** Whether the model has received it. */
  isTold?: boolean | undefined;
  /** The previous context that the model received from this app, if it differs. */
  before?: Pick<AppContext, "content" | "structuredContent"> | undefined;
}

/** A whole conversation. */
export interface ConversationState extends ConversationSummary {
  items: ConversationItem[];
  contexts: AppContext[];
  /** Total token usage. */
  usage: ModelUsage;
  /** The user's choices for the answers. */
  settings?: AnswerSettings | undefined;
  /**
   * Agents that read the conversation instead of a model, such as `Claude Code 2.1.0`; undefined if a model
   * answers.
   */
  agents?: string[] | undefined;
  /**
   * Sequence number of the last change. The next notice has the next number; a gap means that one was missed.
   */
  seq: number;
}

/** A change of a conversation. */
export type ConversationChange =
  /** A new entry at the end, or the new state of an existing one. */
  | { kind: "item"; item: ConversationItem }
  /** Text to append to the model's entry. */
  | { kind: "text"; item: string; text: string }
  /** Text to append to a call's `inputText`. */
  | { kind: "input"; item: string; text: string }
  | { kind: "progress"; item: string; progress: Progress }
  | { kind: "removed"; item: string }
  | { kind: "contexts"; contexts: AppContext[] }
  | {
      kind: "state";
      title: string;
      isRunning: boolean;
      usage: ModelUsage;
      settings?: AnswerSettings | undefined;
      agents?: string[] | undefined;
    };

/**
 * A server or an app asks the model for a completion (`sampling/createMessage`). The user may edit the
 * request.
 */
export interface SamplingQuestion {
  /** The gateway's id of the request. */
  id: string;
  server: string;
  /** The requesting app; undefined for the server itself. */
  app?: SpeakingApp | undefined;
  model: string;
  systemPrompt?: string | undefined;
  messages: { role: "user" | "assistant"; content: ContentBlock[] }[];
  maxTokens: number;
  temperature?: number | undefined;
  /** Strings at which the model stops. */
  stopSequences?: string[] | undefined;
}

export interface SamplingAnswer {
  answer: "allow" | "deny";
  /** Replaces the requested values. */
  systemPrompt?: string | undefined;
  messages?: SamplingQuestion["messages"] | undefined;
  maxTokens?: number | undefined;
}

/** A server asks the user for input (`elicitation/create`). */
export type ElicitationQuestion = {
  id: string;
  server: string;
  message: string;
} & (
  | { mode: "form"; schema: Record<string, unknown> }
  /** `elicitationId` is the server's id; with it, the server may report completion later. */
  | { mode: "url"; url: string; elicitationId?: string | undefined }
);

export interface ElicitationAnswer {
  action: "accept" | "decline" | "cancel";
  content?: Record<string, unknown> | undefined;
}

/** A message of a model's input. */
export interface ModelViewMessage {
  role: "user" | "assistant" | "tool";
  content: readonly ModelViewPart[];
}

export type ModelViewPart =
  | { type: "text"; text: string }
  | { type: "image"; data: string; mimeType: string }
  | { type: "file"; data: string; mimeType: "application/pdf"; name: string }
  | { type: "call"; id: string; name: string; arguments: Readonly<Record<string, unknown>> }
  | { type: "result"; id: string; name: string; text: string; isError: boolean };

/** A tool that a model is offered. */
export interface ModelViewTool {
  /** The tool's name for the model. */
  name: string;
  description?: string | undefined;
  inputSchema: Readonly<Record<string, unknown>>;
  server: string;
  /** Its own name, in its server or app. */
  tool: string;
  /** The app that offers it. */
  app?: SpeakingApp | undefined;
}

/** The input that a model would get now. */
export interface ModelView {
  system: string;
  messages: readonly ModelViewMessage[];
  tools: readonly ModelViewTool[];
}

/** Requests of a page about conversations, on channel `.`. */
export interface ConversationRequests {
  /** Lists conversations, newest first; with `search`, those whose title or messages contain these words. */
  "conversation/list": {
    params: { search?: string | undefined; limit?: number | undefined; before?: number | undefined };
    result: { conversations: ConversationSummary[] };
  };
  /** Opens a conversation, or a new one without an `id`. From now on the page is notified of its changes. */
  "conversation/open": { params: { id?: string | undefined }; result: ConversationState };
  /** Stops the notifications. */
  "conversation/leave": { params: { id: string }; result: Record<string, never> };
  /** Sends a message as the user or, with `view`, as an open app. The model answers, if there is one. */
  "conversation/send": {
    params: {
      id: string;
      content: ContentBlock[];
      view?: string | undefined;
      /** The `id` of the model that answers this message; by default that of the conversation. */
      model?: string | undefined;
    };
    result: { item: string };
  };
  /** Calls a tool manually. */
  "conversation/call": {
    params: {
      id: string;
      server: string;
      tool: string;
      arguments?: Record<string, unknown> | undefined;
      page?: Record<string, unknown> | undefined;
      /** The server's identity: if another server has the name now, it does not get the call. */
      identity?: string | undefined;
    };
    result: { item: string };
  };
  /** Repeats a turn whose answer failed, was stopped or is empty; with another model, if one is given. */
  "conversation/retry": {
    params: { id: string; item: string; model?: string | undefined };
    result: Record<string, never>;
  };
  /**
   * Sends an edited message in a new version of the conversation, in which the original and all that followed
   * are not shown. Nothing may be running.
   */
  "conversation/edit": {
    params: { id: string; item: string; content: ContentBlock[] };
    result: { item: string };
  };
  /**
   * Answers the message of a complete answer again, in a new version; with another model, if one is given. Nothing may
   * be running.
   */
  "conversation/regenerate": {
    params: { id: string; item: string; model?: string | undefined };
    result: Record<string, never>;
  };
  /** Shows another version; without one, the first. Nothing may be running. */
  "conversation/show-version": {
    params: { id: string; version?: string | undefined };
    result: Record<string, never>;
  };
  /** Copies the shown entries up to one into a new conversation. */
  "conversation/branch": { params: { id: string; item: string }; result: { id: string } };
  /** Stops everything in progress, or one call. */
  "conversation/stop": {
    params: { id: string; item?: string | undefined };
    result: { stopped: boolean };
  };
  /** Sets the model context of an open app. */
  "conversation/context": {
    params: {
      id: string;
      view: string;
      content?: ContentBlock[] | undefined;
      structuredContent?: Record<string, unknown> | undefined;
    };
    result: Record<string, never>;
  };
  /** Sets the tools that an open app offers to the model; none after it has closed. */
  "conversation/app-tools": {
    params: { id: string; view: string; tools: Tool[] };
    result: Record<string, never>;
  };
  /** Stores page data with a call. */
  "conversation/keep": {
    params: { id: string; item: string; page: Record<string, unknown> };
    result: Record<string, never>;
  };
  "conversation/remove": { params: { id: string; item: string }; result: Record<string, never> };
  "conversation/rename": { params: { id: string; title: string }; result: Record<string, never> };
  "conversation/delete": { params: { id: string }; result: Record<string, never> };
  /** Returns the input and tools that a model would get now. Only in test mode. */
  "conversation/model-view": { params: { id: string }; result: ModelView };
  /** Calls a tool as the model would, by its name for the model. Only in test mode. */
  "conversation/model-call": {
    params: { id: string; name: string; arguments?: Record<string, unknown> | undefined };
    result: { item: string };
  };
  /** Replaces the user's choices for the answers. */
  "conversation/settings": {
    params: { id: string; settings: AnswerSettings };
    result: Record<string, never>;
  };
}

/** Requests to a page about conversations, on channel `.`. */
export interface ConversationAsks {
  /** Calls a tool of an app that is open in this page. */
  "conversation/app-tool": {
    params: { view: string; name: string; arguments: Record<string, unknown> };
    result: CallToolResult;
  };
  "gateway/sample": { params: SamplingQuestion; result: SamplingAnswer };
  "gateway/elicit": { params: ElicitationQuestion; result: ElicitationAnswer };
}

/** Notifications to a page about conversations, on channel `.`. */
export interface ConversationNotices {
  /** Changes in order, with consecutive numbers. A page that missed one opens the conversation again. */
  "conversation/changed": { id: string; seq: number; changes: ConversationChange[] };
  /** The list changed: a conversation is new, deleted or renamed. */
  "conversation/listed": Record<string, never>;
  "model/changed": ModelState;
  /** A server has completed a URL elicitation (`notifications/elicitation/complete`). */
  "gateway/elicited": { server: string; elicitationId: string };
}
