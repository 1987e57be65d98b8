/**
 * What happened in this page, in order: calls with their results and apps, and what apps said. Kept over a reload.
 *
 * @module
 */
import type { Gateway, GatewayView } from "@vitrine/host/gateway";
import type { CallToolResult, Params, Progress } from "@vitrine/protocol";
import { AppModel } from "./app-model.js";
import { gatewaySource } from "./app-source.js";
import type { Look } from "./look.js";
import { messageOf } from "./messages.js";
import { Observable } from "./observable.js";
import type { Profile } from "./profile.js";

/** How far a call has come. */
export type CallState = "running" | "done" | "failed" | "cancelled";

/** A call of a tool, as it is kept over a reload. */
export interface SavedCall {
  readonly kind: "call";
  readonly id: string;
  readonly at: number;
  readonly server: string;
  readonly tool: string;
  readonly input: Record<string, unknown>;
  readonly state: CallState;
  readonly result?: CallToolResult | undefined;
  readonly problem?: string | undefined;
  /** The gateway's name of the app that shows it. */
  readonly view?: string | undefined;
  readonly profile?: string | undefined;
  /** When it was over, in milliseconds since 1970. */
  readonly endedAt?: number | undefined;
}

/** Something that an app said, as it is kept over a reload. */
export interface SavedMessage {
  readonly kind: "message";
  readonly id: string;
  readonly at: number;
  readonly server: string;
  readonly title: string;
  readonly content: Params<"ui/message">["content"];
}

/** A call of a tool. */
export class CallItem extends Observable {
  readonly kind = "call";
  readonly id: string;
  readonly at: number;
  readonly server: string;
  readonly tool: string;
  readonly input: Record<string, unknown>;
  state: CallState;
  progress: Progress | undefined;
  result: CallToolResult | undefined;
  /** Why it failed. */
  problem: string | undefined;
  app: AppModel | undefined;
  /** The name under which the gateway knows the app. */
  view: string | undefined;
  profile: string | undefined;
  endedAt: number | undefined;
  #isTakenBack = false;
  /** Takes the call back. */
  oncancel: (() => void) | undefined;

  constructor(saved: SavedCall) {
    super();
    const { id, at, server, tool, input, state, result, problem, view, profile, endedAt } = saved;
    this.id = id;
    this.at = at;
    this.server = server;
    this.tool = tool;
    this.input = input;
    this.state = state;
    this.result = result;
    this.problem = problem;
    this.view = view;
    this.profile = profile;
    this.endedAt = endedAt;
  }

  update(
    change: Partial<Pick<CallItem, "state" | "progress" | "result" | "problem" | "app" | "view">>,
  ): void {
    Object.assign(this, change);
    if (this.state !== "running") this.endedAt ??= Date.now();
    this.changed();
  }

  cancel(): void {
    if (this.state !== "running") return;
    this.#isTakenBack = true;
    this.oncancel?.();
  }

  /** It came to no answer: because the person did not want it any more, or for another reason. */
  end(problem: string | undefined): void {
    if (this.state !== "running") return;
    this.update(this.#isTakenBack ? { state: "cancelled" } : { state: "failed", problem });
  }

  get saved(): SavedCall {
    const { kind, id, at, server, tool, input, state, result, problem, view, profile, endedAt } = this;
    return { kind, id, at, server, tool, input, state, result, problem, view, profile, endedAt };
  }
}

/** One entry of the conversation. */
export type Item = CallItem | SavedMessage;

/** What a {@link Conversation} stands on. */
export interface ConversationOptions {
  readonly gateway: Gateway;
  readonly storage?: Storage | undefined;
  /** What new apps look like. */
  readonly look: () => Look;
  readonly profile: (id?: string) => Profile;
}

const KEY = "vitrine-conversation";
/** Characters of what is kept: browsers take about five million. */
const MOST_KEPT = 4_000_000;
/** Milliseconds. */
const SAVE_PAUSE = 200;

/** The conversation of this page. */
export class Conversation extends Observable {
  readonly #options: ConversationOptions;
  /** Hears of an app that another one came in place of. */
  onrenewed: ((before: AppModel, after: AppModel) => void) | undefined;
  #items: Item[] = [];
  #isRestored = false;
  #saving: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ConversationOptions) {
    super();
    this.#options = options;
  }

  get items(): readonly Item[] {
    return this.#items;
  }

  get apps(): AppModel[] {
    return this.#items.flatMap((item) => (item.kind === "call" && item.app ? [item.app] : []));
  }

  /** Calls a tool; `hasApp` says that it has one to show. */
  call(server: string, tool: string, input: Record<string, unknown>, hasApp: boolean): CallItem {
    const profile = this.#options.profile().id;
    const item = new CallItem({ ...entry("call"), server, tool, input, state: "running", profile });
    this.#add(item);
    void (hasApp ? this.#open(item) : this.#ask(item));
    return item;
  }

  /** Puts an app that has no call, such as one of a recording, into the conversation. */
  show(app: AppModel): CallItem {
    const { server, tool, uri } = app.source;
    const item = new CallItem({
      ...entry("call"),
      server,
      tool: tool?.name ?? uri,
      input: {},
      state: "done",
    });
    item.app = app;
    this.#add(item);
    return item;
  }

  /** Closes the app of a call: the call stays. */
  async closeApp(item: CallItem): Promise<void> {
    const { app } = item;
    item.cancel();
    // Out of the page only when it has finished: it may have something to keep (L08).
    await app?.close();
    if (item.app === app) item.update({ app: undefined, view: undefined });
  }

  /** The UIs of these tools are not what they were: their apps begin anew, with the call that they showed. */
  async renew(server: string, tools: ReadonlySet<string>): Promise<void> {
    const isMeant = (item: Item): item is CallItem =>
      item.kind === "call" && item.server === server && tools.has(item.tool) && item.view !== undefined;
    await Promise.all(
      this.#items.filter(isMeant).map(async (item) => {
        const before = item.app;
        await before?.close("its UI has changed");
        await this.#reopen(item);
        if (before && item.app) this.onrenewed?.(before, item.app);
      }),
    );
  }

  /** Takes an entry away, and closes its app. */
  async remove(item: Item): Promise<void> {
    if (item.kind === "call") await this.closeApp(item);
    this.#items = this.#items.filter((each) => each !== item);
    this.#changed();
  }

  async clear(): Promise<void> {
    await Promise.all([...this.#items].map((item) => this.remove(item)));
  }

  /** After a reload: what there was, with its apps. */
  async restore(): Promise<void> {
    const saved = this.#read();
    const views = new Map((await this.#options.gateway.restoreViews()).map((view) => [view.id, view]));
    const restored = saved.map((each) => (each.kind === "call" ? new CallItem(each) : each));
    this.#items = [...restored, ...this.#items];
    this.#isRestored = true;
    for (const item of restored) {
      if (item.kind !== "call") continue;
      item.subscribe(() => this.#save());
      const view = item.view === undefined ? undefined : views.get(item.view);
      if (item.view !== undefined) views.delete(item.view);
      if (view) this.#attach(item, view);
      else if (item.view !== undefined) void this.#reopen(item);
      else if (item.state === "running")
        item.update({ state: "failed", problem: "the page was reloaded before the answer came" });
    }
    // What this page knows nothing of, nobody would ever close.
    for (const view of views.values()) void view.close();
    this.changed();
  }

  #add(item: Item): void {
    this.#items = [...this.#items, item];
    if (item.kind === "call") item.subscribe(() => this.#save());
    this.#changed();
  }

  #changed(): void {
    this.changed();
    this.#save();
  }

  async #ask(item: CallItem): Promise<void> {
    const controller = new AbortController();
    item.oncancel = () => controller.abort();
    try {
      const { server, tool: name, input } = item;
      const result = await this.#options.gateway.request(
        "gateway/call",
        { server, name, arguments: input },
        { signal: controller.signal, onprogress: (progress) => item.update({ progress }) },
      );
      item.update({ state: result.isError ? "failed" : "done", result });
    } catch (error) {
      item.end(messageOf(error));
    }
  }

  async #open(item: CallItem): Promise<void> {
    const controller = new AbortController();
    item.oncancel = () => controller.abort();
    try {
      const { server, tool, input } = item;
      const view = await this.#options.gateway.openView(
        { server, tool, arguments: input },
        { signal: controller.signal },
      );
      this.#attach(item, view);
    } catch (error) {
      item.end(messageOf(error));
    }
  }

  /** The gateway was restarted: the app is opened again, and told what was. The tool is not called again. */
  async #reopen(item: CallItem): Promise<void> {
    try {
      const { server, tool, input, result } = item;
      const view = await this.#options.gateway.openView({ server, tool });
      Object.assign(view.opened, { input, result });
      this.#attach(item, view);
      if (item.state === "running")
        item.update({ state: "failed", problem: "the gateway was restarted before the answer came" });
    } catch (error) {
      item.update({ problem: messageOf(error) });
    }
  }

  #attach(item: CallItem, view: GatewayView): void {
    item.oncancel = () => void view.cancel();
    view.onprogress = (progress) => item.update({ progress });
    const app: AppModel = new AppModel(gatewaySource(view), {
      profile: this.#options.profile(item.profile),
      look: this.#options.look(),
      surroundings: {
        message: (from, params) => this.#said(from, params),
        teardown: () => void this.closeApp(item),
        call: {
          result: (result) => item.update({ state: result.isError ? "failed" : "done", result }),
          cancelled: (reason) => item.end(reason),
        },
      },
    });
    view.onclosed = (problem) => {
      item.update({ problem });
      void app.close(problem);
    };
    item.update({ app, view: view.id, progress: view.progress });
  }

  #said({ source }: AppModel, { content }: Params<"ui/message">): void {
    this.#add({ ...entry("message"), server: source.server, title: source.title, content });
  }

  /** Soon, and of many changes at once: progress may come often, and all is written each time. */
  #save(): void {
    this.#saving ??= setTimeout(() => this.flush(), SAVE_PAUSE);
  }

  /** Writes what there is now: to be called before the page goes. */
  flush(): void {
    clearTimeout(this.#saving);
    this.#saving = undefined;
    // A page that goes before it had read what there was must not write over it.
    if (!this.#isRestored) return;
    const { storage } = this.#options;
    let kept = this.#items.map((item) => (item.kind === "call" ? item.saved : item));
    let text = JSON.stringify(kept);
    // The oldest go first: what is on screen is what people expect to find again.
    while (text.length > MOST_KEPT && kept.length > 0) {
      kept = kept.slice(Math.ceil(kept.length / 4));
      text = JSON.stringify(kept);
    }
    try {
      storage?.setItem(KEY, text);
    } catch {
      // A page that may not store anything has an empty conversation after a reload, and nothing worse.
    }
  }

  #read(): (SavedCall | SavedMessage)[] {
    try {
      const read: unknown = JSON.parse(this.#options.storage?.getItem(KEY) ?? "[]");
      return Array.isArray(read) ? read : [];
    } catch {
      return [];
    }
  }
}

const entry = <K extends string>(kind: K) => ({
  kind,
  id: crypto.getRandomValues(new Uint32Array(2)).join("-"),
  at: Date.now(),
});
