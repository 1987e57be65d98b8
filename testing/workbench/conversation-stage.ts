/**
 * A gateway as a page's conversation sees it: it stores conversations and numbers their notifications. Tests
 * decide the outcome of calls.
 *
 * @module
 */
import { type AppFrameOptions, Bridge } from "@vitrine/host";
import type { GatewayClient, GatewayView } from "@vitrine/host/gateway";
import { memoryPair, Peer, PROTOCOL_VERSION, type Tool, VitrineError } from "@vitrine/protocol";
import type {
  CallItem,
  ConversationChange,
  ConversationItem,
  ConversationState,
  GatewayRequests,
  OpenedView,
} from "@vitrine/wire";

type Params<M extends keyof GatewayRequests> = GatewayRequests[M]["params"];
type Answer = (params: never) => unknown;

/** A call, as the gateway reports it. */
export const callOf = (id: string, more: Partial<CallItem> = {}): CallItem => ({
  kind: "call",
  id,
  at: 1,
  by: "person",
  server: "s",
  tool: "t",
  state: "done",
  input: { x: 1 },
  hasApp: true,
  ...more,
});

/** A view, as the gateway delivers it. */
export function viewOf(
  id: string,
  opened: Partial<OpenedView> = {},
  more: Partial<GatewayView> = {},
): GatewayView {
  const upstream = { server: "s", capabilities: {}, request: async () => ({}), listen: () => () => {} };
  return {
    id,
    opened: { view: id, server: "s", capabilities: {}, uri: "ui://s/a", ...opened },
    upstream,
    guard: (call: object, next: (call: object) => unknown) => next(call),
    cancel: async () => true,
    close: async () => {},
    ...more,
  } as unknown as GatewayView;
}

/** A refusal of the gateway, with its code. */
export const refusal = (code: string, message = code): VitrineError =>
  new VitrineError(-32050, message, { data: { code } });

/** All pages of one gateway. */
export class StagedGateway {
  readonly kept = new Map<string, ConversationState>();
  readonly pages = new Set<StagedPage>();
  #last = 0;

  /** A conversation from before. */
  keep(id: string, items: ConversationItem[] = [], more: Partial<ConversationState> = {}): this {
    const at = { startedAt: 1, changedAt: 1 };
    const usage = { input: 0, output: 0 };
    const state = { id, title: "", ...at, isRunning: false, items, contexts: [], usage, seq: 7, ...more };
    this.kept.set(id, state);
    return this;
  }

  /** Publishes an event of a conversation to all pages that show it. */
  tell(id: string, ...changes: ConversationChange[]): void {
    const state = this.kept.get(id);
    if (!state) throw new Error(`there is no conversation ${id}`);
    state.seq++;
    for (const change of changes) {
      if (change.kind === "removed") state.items = state.items.filter((item) => item.id !== change.item);
      else if (change.kind === "state") Object.assign(state, { ...change, kind: undefined });
      else if (change.kind === "contexts") state.contexts = change.contexts;
      else if (change.kind === "item") {
        const at = state.items.findIndex((item) => item.id === change.item.id);
        state.items.splice(at < 0 ? state.items.length : at, at < 0 ? 0 : 1, change.item);
      }
    }
    for (const page of this.pages) page.hear(id, state.seq, changes);
  }

  /** Adds or changes an entry. */
  put(id: string, ...items: ConversationItem[]): void {
    this.tell(id, ...items.map((item) => ({ kind: "item" as const, item })));
  }

  /** Returns an unused entry id. */
  name(): string {
    return `item-${++this.#last}`;
  }
}

/** A gateway, as one page sees it. */
export class StagedPage {
  readonly asked: { method: string; params: object }[] = [];
  readonly shown = new Set<string>();
  /** Views from before a reload. */
  views: GatewayView[] = [];
  /** Opens a view. */
  onopen: (params: Params<"gateway/open">) => Promise<GatewayView> = async () => viewOf("new");
  /** Whether the page misses events of conversations. */
  isDeaf = false;
  readonly #gateway: StagedGateway;
  readonly #listeners = new Map<string, Set<(params: never) => void>>();
  readonly #answers = new Map<string, Answer>();

  constructor(gateway = new StagedGateway()) {
    this.#gateway = gateway;
    gateway.pages.add(this);
  }

  /** This stage, typed as a gateway. */
  get gateway(): GatewayClient {
    return this as unknown as GatewayClient;
  }

  on(method: string, listener: (params: never) => void): () => void {
    const listeners = this.#listeners.get(method) ?? new Set();
    this.#listeners.set(method, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  notify(method: string, params: object): void {
    for (const listener of this.#listeners.get(method) ?? []) listener(structuredClone(params) as never);
  }

  hear(id: string, seq: number, changes: ConversationChange[]): void {
    if (!this.isDeaf && this.shown.has(id)) this.notify("conversation/changed", { id, seq, changes });
  }

  /** Replaces the answer to a method from now on. */
  answer<M extends keyof GatewayRequests>(method: M, answer: (params: Params<M>) => unknown): void {
    this.#answers.set(method, answer);
  }

  /** Requests of one method. */
  of<M extends keyof GatewayRequests>(method: M): Params<M>[] {
    return this.asked.flatMap((each) => (each.method === method ? [each.params as Params<M>] : []));
  }

  async request(method: string, params: object): Promise<unknown> {
    // As over a wire: undefined values are dropped, and nothing is shared.
    const sent = JSON.parse(JSON.stringify(params)) as object;
    this.asked.push({ method, params: sent });
    const answer = this.#answers.get(method) ?? (this.#usual as Record<string, Answer>)[method];
    return structuredClone((await answer?.(sent as never)) ?? {});
  }

  openView(params: Params<"gateway/open">): Promise<GatewayView> {
    this.asked.push({ method: "gateway/open", params });
    return this.onopen(params);
  }

  identityOf(): undefined {}

  async restoreViews(): Promise<GatewayView[]> {
    return this.views;
  }

  /** A gateway's default behaviour: a call starts, and is announced before it is answered. */
  readonly #usual = {
    "conversation/open": ({ id = `c-${this.#gateway.kept.size + 1}` }: Params<"conversation/open">) => {
      if (!this.#gateway.kept.has(id)) {
        if (this.of("conversation/open").at(-1)?.id !== undefined) throw refusal("conversation-unknown");
        this.#gateway.keep(id);
      }
      this.shown.add(id);
      return this.#gateway.kept.get(id);
    },
    "conversation/leave": ({ id }: Params<"conversation/leave">) => void this.shown.delete(id),
    "conversation/call": ({ id, server, tool, arguments: input, page }: Params<"conversation/call">) => {
      const item = this.#gateway.name();
      this.#gateway.put(id, callOf(item, { server, tool, input, page, state: "running", hasApp: false }));
      return { item };
    },
    "conversation/remove": ({ id, item }: Params<"conversation/remove">) =>
      this.#gateway.tell(id, { kind: "removed", item }),
    "conversation/stop": () => ({ stopped: true }),
    "conversation/send": ({ id, content }: Params<"conversation/send">) => {
      const item = this.#gateway.name();
      this.#gateway.put(id, { kind: "user", id: item, at: 2, content });
      return { item };
    },
    "conversation/delete": ({ id }: Params<"conversation/delete">) => void this.#gateway.kept.delete(id),
    "conversation/list": () => ({ conversations: [...this.#gateway.kept.values()] }),
    "gateway/views": () => ({ views: [] }),
  };
}

/** Storage of a tab; `copy` is the initial storage of a duplicated or reloaded tab. */
export function storageOf(kept: Record<string, string> = {}): Storage & { copy(): Storage } {
  const stored = new Map(Object.entries(kept));
  return {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, text: string) => void stored.set(key, text),
    removeItem: (key: string) => void stored.delete(key),
    copy: () => storageOf(Object.fromEntries(stored)),
  } as unknown as Storage & { copy(): Storage };
}

/** A document in which apps have a bridge but are not rendered. Replaces the global one. */
export const undrawnDocument = {
  activeElement: null,
  addEventListener: () => {},
  createElement: () => ({
    style: { removeProperty: () => {} },
    toggleAttribute: () => false,
    isConnected: false,
    remove: () => {},
    bridge: undefined as Bridge | undefined,
    async close() {
      this.bridge?.close();
    },
    set app({ info, upstream, guard, handlers, context, instance }: AppFrameOptions) {
      this.bridge = new Bridge({ info, upstream, guard, handlers, context, instance });
    },
  }),
};

/** The app behind a bridge, written by hand: it can send what our runtime would not. */
export async function appBehind(
  bridge: Bridge,
  tools?: () => Tool[],
  onheard?: (what: string, params: object) => void,
): Promise<Peer<"view">> {
  const [viewEnd, hostEnd] = memoryPair();
  bridge.open(hostEnd);
  const app = new Peer<"view">();
  if (tools) {
    app.handle("tools/list", () => ({ tools: tools() }));
    app.handle("tools/call", ({ name }) => ({ content: [{ type: "text", text: `did ${name}` }] }));
  }
  for (const what of ["input-partial", "input", "result", "cancelled"] as const)
    app.on(`ui/notifications/tool-${what}`, (params) => onheard?.(what, params));
  app.open(viewEnd);
  await app.request("ui/initialize", {
    protocolVersion: PROTOCOL_VERSION,
    appInfo: { name: "app", version: "1.0.0" },
    appCapabilities: tools ? { tools: { listChanged: true } } : {},
  });
  app.notify("ui/notifications/initialized", {});
  return app;
}
