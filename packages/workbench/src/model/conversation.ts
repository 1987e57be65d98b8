/**
 * What happened in this page, in order: calls with their results and apps, and what apps said. Kept over a reload.
 *
 * @module
 */
import type { Gateway, GatewayView } from "@vitrine/host/gateway";
import type { GatewayRequests, Params } from "@vitrine/protocol";
import { AppModel } from "./app-model.js";
import { gatewaySource } from "./app-source.js";
import { CallItem } from "./call-item.js";
import { readContent, readProgress, readResult } from "./foreign.js";
import type { Look } from "./look.js";
import { messageOf } from "./messages.js";
import { Observable } from "./observable.js";
import type { Profile } from "./profile.js";
import { type RenewalHome, Renewals } from "./renewals.js";
import { readSaved, type SavedMessage, writeSaved } from "./saved-conversation.js";
import { withoutSecrets } from "./secrets.js";

export type { CallItem };

/** One entry of the conversation. */
export type Item = CallItem | SavedMessage;

/** What a {@link Conversation} stands on. */
export interface ConversationOptions {
  readonly gateway: Gateway;
  readonly storage?: Storage | undefined;
  /** What new apps look like. */
  readonly look: () => Look;
  readonly profile: (id?: string) => Profile;
  /** Starts an app out of sight, to take the place of one that runs. */
  readonly start?: RenewalHome["start"];
  /** What a tool's arguments are, if that is known. */
  readonly schema?: (server: string, tool: string) => unknown;
}

const KEY = "vitrine-conversation";
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
  /** The question where apps are now, while it is under way: one for all frames that come back at once. */
  #looking: Promise<GatewayRequests["gateway/views"]["result"]> | undefined;
  readonly #renewals: Renewals;

  constructor(options: ConversationOptions) {
    super();
    this.#options = options;
    this.#renewals = new Renewals({
      isShown: (item) => this.#isShown(item),
      open: (item) => this.#openAgain(item),
      show: (item, view, before) => this.#showAgain(item, view, before),
      forget: (view) => void forget(view),
      failed: (item, error) => failedToOpen(item, error),
      start: options.start,
      onrenewed: (before, after) => this.onrenewed?.(before, after),
    });
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
    const kept = withoutSecrets(this.#options.schema?.(server, tool), input);
    const item = new CallItem({ ...entry("call"), server, tool, input, state: "running", profile }, kept);
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
    // Whoever is about to open it again must not.
    item.update({ view: undefined });
    // Out of the page only when it has finished: it may have something to keep (L08).
    await this.#close(item, app);
    if (item.app === app) item.update({ app: undefined });
  }

  /**
   * The UIs of these tools are not what they were: their apps begin anew, with the call that they showed. A call under way
   * keeps its app until it is over.
   */
  async renew(server: string, tools: ReadonlySet<string>): Promise<void> {
    const isMeant = (item: Item): item is CallItem =>
      item.kind === "call" && item.server === server && tools.has(item.tool) && item.view !== undefined;
    await Promise.all(this.#items.filter(isMeant).map((item) => this.#renewals.renew(item)));
  }

  /** It is in the conversation, and has an app there. */
  #isShown(item: CallItem): boolean {
    return this.#items.includes(item) && item.view !== undefined;
  }

  /** Closes an app; what goes wrong with that, its call says. */
  async #close(item: CallItem, app: AppModel | undefined, reason?: string): Promise<void> {
    try {
      await app?.close(reason);
    } catch (error) {
      item.update({ problem: `The app could not be closed in order: ${messageOf(error)}` });
    }
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
    const saved = readSaved(this.#stored());
    const views = new Map((await this.#options.gateway.restoreViews()).map((view) => [view.id, view]));
    const restored = saved.map((each) => (each.kind === "call" ? new CallItem(each) : each));
    this.#items = [...restored, ...this.#items];
    this.#isRestored = true;
    for (const item of restored) {
      if (item.kind !== "call") continue;
      item.subscribe(() => this.#save());
      const view = item.view === undefined ? undefined : views.get(item.view);
      if (item.view !== undefined) views.delete(item.view);
      if (view) this.#attach(item, view, true);
      else if (item.view !== undefined) void this.#reopen(item);
      else if (item.state === "running") this.#askAgain(item);
    }
    // What this page knows nothing of, nobody would ever close.
    for (const view of views.values()) void forget(view);
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

  /** The page was reloaded before the answer came: a gateway that remembers the page has it, or still waits for it. */
  #askAgain(item: CallItem): void {
    const { state } = this.#options.gateway;
    const isKnown = item.request !== undefined && state.phase === "open" && state.resumed;
    // Without its secrets it would be another call.
    if (isKnown && !item.isInputCut) void this.#ask(item);
    else
      item.end(
        "the page was reloaded before the answer came; the gateway's audit log says how the call ended",
      );
  }

  async #ask(item: CallItem): Promise<void> {
    const controller = new AbortController();
    item.oncancel = () => controller.abort();
    // Known before it is asked, and so after a reload, too: under one name nothing is done twice.
    const id = item.request ?? `${item.id}.1`;
    item.update({ request: id });
    try {
      const { server, tool: name, input } = item;
      const result = await this.#options.gateway.request(
        "gateway/call",
        { server, name, arguments: input },
        {
          id,
          signal: controller.signal,
          onprogress: (progress) => item.update({ progress: readProgress(progress) }),
        },
      );
      this.#answered(item, result);
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
        { server, tool, arguments: input, narrow: this.#profileOf(item).narrow },
        { signal: controller.signal },
      );
      if (this.#items.includes(item)) this.#attach(item, view);
      else void forget(view);
    } catch (error) {
      item.end(messageOf(error));
    }
  }

  /** Opens the app of a call, without calling the tool again. */
  #openAgain(item: CallItem): Promise<GatewayView> {
    const { server, tool } = item;
    return this.#options.gateway.openView({ server, tool, narrow: this.#profileOf(item).narrow });
  }

  /** The gateway has the app no more: it is opened again, and told what was. */
  async #reopen(item: CallItem): Promise<void> {
    try {
      const view = await this.#openAgain(item);
      if (this.#isShown(item)) void this.#showAgain(item, view);
      else void forget(view);
    } catch (error) {
      failedToOpen(item, error);
    }
  }

  /** Shows a view of a call that was shown before. */
  #showAgain(item: CallItem, view: GatewayView, before?: AppModel): Promise<void> | undefined {
    const { input, result } = item;
    Object.assign(view.opened, { input, result });
    // An app that is told of no end waits for one.
    if (item.isResultLost) Object.assign(view.opened, { cancelled: "its result was too large to be kept" });
    item.end("the gateway no longer has this call, and its answer did not come");
    if (item.state === "done") item.update({ problem: undefined });
    return this.#attach(item, view, true, before);
  }

  /**
   * @param before the app that it comes in place of
   * @returns when it is there, in that case
   */
  #attach(
    item: CallItem,
    view: GatewayView,
    isRestored = false,
    before?: AppModel,
  ): Promise<void> | undefined {
    item.oncancel = () => view.cancel();
    view.onprogress = (progress) => item.update({ progress: readProgress(progress) });
    const app: AppModel = new AppModel(
      gatewaySource(view, {
        isRestored,
        instance: item.id,
        refresh: async (each) => {
          await this.#refresh(each);
          item.shows(each.opened.hash);
        },
      }),
      {
        profile: this.#profileOf(item),
        look: before?.look ?? this.#options.look(),
        surroundings: {
          message: (from, params) => this.#said(from, params),
          teardown: () => void this.closeApp(item),
          call: {
            result: (result) => this.#answered(item, result),
            cancelled: (reason) => item.end(reason),
          },
        },
      },
    );
    view.onclosed = (problem) => {
      if (item.state === "running") item.end(problem);
      else item.update({ problem });
      void this.#close(item, app, problem);
    };
    view.onreopened = () => item.goesOn(view.opened.hash);
    const replaced = before && app.replace(before);
    item.update({ app, view: view.id, progress: readProgress(view.progress) });
    item.shows(view.opened.hash);
    return replaced;
  }

  /** Looks whether the document of an app has come back: the gateway does not let a reload wait for slow servers. */
  async #refresh({ opened }: GatewayView): Promise<void> {
    this.#looking ??= this.#options.gateway.request("gateway/views", {}).finally(() => {
      this.#looking = undefined;
    });
    try {
      const { views } = await this.#looking;
      const found = views.find(({ view }) => view === opened.view);
      if (found) Object.assign(opened, { place: found.place, problem: found.problem, hash: found.hash });
    } catch {
      // What was known of it is still told.
    }
  }

  /** The host that the item's app believes it is in. */
  #profileOf({ profile }: CallItem): Profile {
    return this.#options.profile(profile);
  }

  /** The answer is the server's, and may be anything. */
  #answered(item: CallItem, answer: unknown): void {
    const result = readResult(answer);
    item.update({ state: result.isError ? "failed" : "done", result });
  }

  #said({ source }: AppModel, { content }: Params<"ui/message">): void {
    const { server, title } = source;
    this.#add({ ...entry("message"), server, title, content: readContent(content) });
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
    const saved = this.#items.map((item) => (item.kind === "call" ? item.saved : item));
    try {
      this.#options.storage?.setItem(KEY, writeSaved(saved));
    } catch {
      // A page that may not store anything has an empty conversation after a reload, and nothing worse.
    }
  }

  #stored(): string | null | undefined {
    try {
      return this.#options.storage?.getItem(KEY);
    } catch {
      return undefined;
    }
  }
}

function failedToOpen(item: CallItem, error: unknown): void {
  const problem = messageOf(error);
  if (item.state === "running") item.end(problem);
  else item.update({ problem });
}

/** Closes a view that is in no entry. If the gateway does not answer, it has forgotten the view with the session. */
const forget = (view: GatewayView): Promise<void> => view.close().catch(() => {});

const entry = <K extends string>(kind: K) => ({
  kind,
  id: crypto.getRandomValues(new Uint32Array(2)).join("-"),
  at: Date.now(),
});
