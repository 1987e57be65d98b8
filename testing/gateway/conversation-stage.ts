/**
 * Conversations over the real wire: a scripted model behind HTTP, a store in SQLite, and tools whose results
 * a test chooses.
 */

import {
  type AppCall,
  type Conversation,
  Conversations,
  type ConversationsOptions,
  type OfferedTool,
  type ServerCall,
  type ToolCallOptions,
} from "@vitrine/conversation";
import type { CallToolResult, ContentBlock, Progress, Tool } from "@vitrine/protocol";
import type {
  CallItem,
  ConversationChange,
  ConversationItem,
  ConversationState,
  ModelItem,
  NoteItem,
} from "@vitrine/wire";
import { aiModel } from "../../packages/conversation/src/model/ai-model.ts";
import { openStore } from "../../packages/gateway/src/store/open.ts";
import type { GatewayStore } from "../../packages/gateway/src/store/store.ts";
import { type Script, type ScriptedModel, startScriptedModel } from "../model/scripted-model.ts";

/** Behaviour of a tool of the stage. */
export type ToolWork = (
  input: Record<string, unknown>,
  options: ToolCallOptions & { call: ServerCall },
) => CallToolResult | Promise<CallToolResult>;

export interface StageTool {
  server?: string;
  tool?: Partial<Tool>;
  hasApp?: boolean;
  work: ToolWork;
}

export interface ConversationStage {
  readonly conversations: Conversations;
  readonly model: ScriptedModel;
  readonly store: GatewayStore;
  /** Calls that reached a server, in order. */
  readonly called: ServerCall[];
  readonly errors: unknown[];
  /** Number of changes of users' lists. */
  readonly listed: string[];
  /** Tools by name. */
  readonly tools: Map<string, StageTool>;
  /** Answers the calls of apps' tools. */
  appTool: (call: AppCall, signal: AbortSignal) => Promise<CallToolResult>;
  /** Whether the user has a model. */
  hasModel: boolean;
  /** The same stage after a restart, with the same store. */
  again(): Conversations;
  close(): Promise<void>;
}

export const text = (value: string): CallToolResult => ({ content: [{ type: "text", text: value }] });
export const words = (value: string): ContentBlock[] => [{ type: "text", text: value }];

export interface StageOptions extends Omit<Partial<ConversationsOptions>, "tools"> {
  tools?: Record<string, StageTool>;
  url?: string;
}

export async function conversationStage(
  turns: readonly Script[],
  { tools: given = {}, url = "sqlite::memory:", ...rest }: StageOptions = {},
): Promise<ConversationStage> {
  const scripted = await startScriptedModel(turns);
  const store = await openStore(url);
  const model = aiModel({ name: "test", type: "compatible", url: scripted.url }, "scripted");
  const tools = new Map(Object.entries(given));
  const called: ServerCall[] = [];
  const errors: unknown[] = [];
  const listed: string[] = [];
  const offer = ([name, { server = "weather", tool, hasApp = false }]: [string, StageTool]): OfferedTool => ({
    server,
    identity: server,
    hasApp,
    tool: { name, inputSchema: { type: "object" }, ...tool },
  });
  const make = (): Conversations =>
    new Conversations({
      store: store.conversations,
      tools: {
        list: async () => [...tools].map(offer),
        identityOf: (server) => server,
        find: async (_user, server, name) =>
          [...tools].map(offer).find((each) => each.server === server && each.tool.name === name),
        async call(_user, call, callOptions) {
          called.push(call);
          const found = tools.get(call.tool);
          if (!found) throw new Error(`the server lists no tool ${call.tool}`);
          return found.work(call.arguments, { ...callOptions, call });
        },
        recall: async () => ({ outcome: "indeterminate" }),
      },
      apps: { call: (_user, call, signal) => stage.appTool(call, signal) },
      models: { current: () => (stage.hasModel ? model : undefined), help: "Add one to the settings." },
      onerror: (error) => void errors.push(error),
      onlisted: (user) => void listed.push(user),
      ...rest,
    });
  const conversations = make();
  const all = [conversations];
  const stage: ConversationStage = {
    conversations,
    model: scripted,
    store,
    called,
    errors,
    listed,
    tools,
    hasModel: true,
    appTool: async () => text("nothing"),
    again() {
      const more = make();
      all.push(more);
      return more;
    },
    async close() {
      for (const each of all) await each.close();
      await store.close();
      await scripted.close();
    },
  };
  return stage;
}

/** A page that follows a conversation only by its notifications, as the real page does. */
export class Follower {
  state: ConversationState;
  readonly notices: ConversationChange[][] = [];
  /** Whether all sequence numbers were consecutive. */
  isInOrder = true;
  readonly leave: () => void;
  readonly #conversation: Conversation;

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
    this.state = structuredClone(conversation.state());
    this.leave = conversation.subscribe((_id, seq, changes) => {
      this.isInOrder &&= seq === this.state.seq + 1;
      this.state.seq = seq;
      this.notices.push(changes);
      for (const change of structuredClone(changes)) this.#apply(change);
    });
  }

  /** A turn is running, or its end has not been announced. */
  get isRunning(): boolean {
    return this.state.isRunning || this.#conversation.isRunning;
  }

  get items(): ConversationItem[] {
    return this.state.items;
  }

  get calls(): CallItem[] {
    return this.items.filter((item) => item.kind === "call");
  }

  get models(): ModelItem[] {
    return this.items.filter((item) => item.kind === "model");
  }

  get notes(): NoteItem[] {
    return this.items.filter((item) => item.kind === "note");
  }

  #apply(change: ConversationChange): void {
    const items = this.state.items;
    const at = (id: string): number => items.findIndex((item) => item.id === id);
    if (change.kind === "item") {
      const index = at(change.item.id);
      if (index < 0) items.push(change.item);
      else items[index] = change.item;
    } else if (change.kind === "removed") {
      if (at(change.item) >= 0) items.splice(at(change.item), 1);
    } else if (change.kind === "contexts") this.state.contexts = change.contexts;
    else if (change.kind === "state") {
      const { kind: _kind, ...state } = change;
      Object.assign(this.state, state);
    } else {
      const item = items[at(change.item)];
      if (item?.kind === "model" && change.kind === "text") item.text += change.text;
      if (item?.kind === "call" && change.kind === "input")
        item.inputText = (item.inputText ?? "") + change.text;
      if (item?.kind === "call" && change.kind === "progress") item.progress = change.progress;
    }
  }
}

/** Messages about its call that a view received, in order. */
export function hearing(): {
  heard: [string, unknown][];
  partial: (value: unknown) => void;
  input: (value: unknown) => void;
  progress: (value: Progress) => void;
  result: (value: unknown) => void;
  cancelled: (value: string) => void;
} {
  const heard: [string, unknown][] = [];
  const hear = (kind: string) => (value: unknown) => void heard.push([kind, structuredClone(value)]);
  return {
    heard,
    partial: hear("partial"),
    input: hear("input"),
    progress: hear("progress"),
    result: hear("result"),
    cancelled: hear("cancelled"),
  };
}

/** A promise and its resolve function. */
export function gate(): { open: () => void; opened: Promise<void> } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}
