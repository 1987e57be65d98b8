/**
 * The apps of calls: opened with their call, renewed with their UI, and closed in order.
 *
 * @module
 */
import type { GatewayClient, GatewayView } from "@vitrine/host/gateway";
import type { GatewayRequests } from "@vitrine/wire";
import { type RenewalHome, Renewals } from "../conversation/renewals.js";
import type { Look } from "../diagnosis/look.js";
import { messageOf } from "../messages/messages.js";
import { APP_START, quietly } from "../observable.js";
import { isOurs, type Profile } from "../profiles/profile.js";
import { AppModel } from "./app-model.js";
import { gatewaySource } from "./app-source.js";
import { appVoice } from "./app-voice.js";
import type { PageCall } from "./call-item.js";
import { PinUpdates } from "./pin-updates.js";
import { Spares, type Warm } from "./spares.js";

/** Options of {@link CallApps}. */
export interface CallAppsOptions {
  readonly gateway: GatewayClient;
  /** Look of new apps. */
  readonly look: () => Look;
  readonly profile: (id?: string) => Profile;
  /** Starts an app in the background, to replace a running one. */
  readonly start?: RenewalHome["start"];
  /** Preloads an app. */
  readonly warm?: Warm | undefined;
  /** Whether there is a model that apps may use. */
  readonly hasModel?: (() => boolean) | undefined;
  /** The current conversation. */
  readonly conversation: () => string | undefined;
  /** The calls in it, in order. */
  readonly calls: () => readonly PageCall[];
  /** Whether the call is in it. */
  readonly isThere: (item: PageCall) => boolean;
  /** Called when the page's data about a call changed. */
  readonly remember: (item: PageCall) => void;
  /** Called when an app was replaced. */
  readonly onrenewed: (before: AppModel, after: AppModel) => void;
}

/** Opens and closes the apps of calls. */
export class CallApps {
  readonly #options: CallAppsOptions;
  readonly #renewals: Renewals;
  /** Pinned apps that new calls update. */
  readonly pins: PinUpdates;
  readonly #spares: Spares;
  /** Calls whose app was opened or has failed: it is tried again only with its next UI. */
  readonly #tried = new WeakSet<PageCall>();
  readonly #opening = new Set<PageCall>();
  /** Views from before a reload, until their calls are known. */
  #found: GatewayView[] = [];
  /** The pending request for the locations of apps, shared by all frames that come back at once. */
  #looking: Promise<GatewayRequests["gateway/views"]["result"]> | undefined;

  constructor(options: CallAppsOptions) {
    this.#options = options;
    this.#spares = new Spares(options.warm);
    this.pins = new PinUpdates({
      calls: options.calls,
      reload: (item) => this.#renewals.renew(item, "a new call is shown"),
      remember: options.remember,
    });
    this.#renewals = new Renewals({
      isShown: (item) => this.#isShown(item),
      open: (item) => this.#openView(item),
      show: (item, view, before) => {
        if (item.state === "done") item.update({ problem: undefined });
        return this.#attach(item, view, true, before);
      },
      forget: (view) => void forget(view),
      failed: (item, error) => {
        item.update({ problem: messageOf(error) });
        this.pins.failed(item);
      },
      start: options.start,
      onrenewed: options.onrenewed,
    });
  }

  /** Adds views from before a reload, in which calls are shown. */
  find(views: readonly GatewayView[]): void {
    this.#found.push(...views);
  }

  /** All calls are known. Closes views without one, which nobody else would close. */
  settle(): void {
    for (const view of this.#found.splice(0)) void forget(view);
  }

  /**
   * Shows a call in its app, if it has one: once.
   *
   * @param isRestored it may have been open before, with stored state
   */
  async open(item: PageCall, isRestored: boolean): Promise<void> {
    // The model's arguments were invalid: no server was called, so there is nothing to show.
    if (!item.hasApp && item.app) await this.close(item, "the call was not made");
    if (!isRestored && !this.#tried.has(item)) this.pins.claim(item);
    if (item.pin !== undefined) return this.pins.deliver(item);
    if (!item.wantsApp || this.#tried.has(item)) return;
    this.#tried.add(item);
    const found = this.#take(item);
    if (found) {
      this.#attach(item, found, true);
      return;
    }
    this.#opening.add(item);
    // The entry is drawn together with its app.
    await quietly(this.#openFor(item, isRestored), APP_START);
    this.#opening.delete(item);
  }

  async #openFor(item: PageCall, isRestored: boolean): Promise<void> {
    try {
      const view = await this.#openView(item);
      if (this.#isShown(item)) this.#attach(item, view, isRestored);
      else void forget(view);
    } catch (error) {
      if (this.#isShown(item)) item.update({ problem: messageOf(error) });
    }
  }

  /** A call is about to happen: preloads the apps that were shown last. */
  expect(): void {
    this.#spares.expect();
  }

  /** Another conversation will be shown. */
  leave(): void {
    this.#spares.clear();
  }

  /** Closes the app of a call after its teardown, in which it may store state. */
  async close(item: PageCall, reason?: string): Promise<void> {
    const { app } = item;
    // Prevents a pending open.
    item.update({ view: undefined });
    await this.#close(item, app, reason);
    if (item.app === app) item.update({ app: undefined });
  }

  /** Closes the app of a call that is not shown for now. It opens again when the call is shown. */
  async hide(item: PageCall): Promise<void> {
    this.#tried.delete(item);
    await this.close(item, "another version of the conversation is shown");
  }

  /** The UIs of these calls changed: their apps restart. */
  async renew(items: readonly PageCall[]): Promise<void> {
    const isMeant = (item: PageCall): boolean =>
      item.wantsApp && this.#tried.has(item) && !this.#opening.has(item);
    await Promise.all(items.filter(isMeant).map((item) => this.#renewals.renew(item)));
  }

  /** The view from before a reload that shows this call. */
  #take({ id, latest = id }: PageCall): GatewayView | undefined {
    const conversation = this.#options.conversation();
    const isMeant = ({ opened: { call } }: GatewayView): boolean =>
      call?.item === latest && call.conversation === conversation;
    const found = this.#found.find(isMeant);
    this.#found = this.#found.filter((view) => view !== found);
    return found;
  }

  #isShown(item: PageCall): boolean {
    return item.wantsApp && this.#options.isThere(item);
  }

  /** Opens the app of a call; the gateway sends it the call from its current state. */
  #openView(item: PageCall): Promise<GatewayView> {
    const { server, tool } = item;
    const { id } = this.pins.shownIn(item);
    const { gateway, profile, conversation } = this.#options;
    item.profile ??= profile().id;
    const { narrow, dialects } = profile(item.profile);
    const call = { conversation: conversation() ?? "", item: id };
    return gateway.openView({ server, tool, call, narrow, dialects });
  }

  /**
   * @param before the app that it replaces
   * @returns when it is shown, in that case
   */
  #attach(
    item: PageCall,
    view: GatewayView,
    isRestored: boolean,
    before?: AppModel,
  ): Promise<void> | undefined {
    const { hasModel, gateway, look, profile, conversation, remember } = this.#options;
    const voice = appVoice(gateway, conversation() ?? "", view);
    const showsDocument = (hash: string | undefined): void => {
      if (item.shows(hash)) remember(item);
    };
    const app: AppModel = new AppModel(
      gatewaySource(view, {
        isRestored,
        instance: item.id,
        refresh: async (each) => {
          await this.#refresh(each);
          showsDocument(each.opened.hash);
        },
      }),
      {
        profile: profile(item.profile),
        look: before?.look ?? look(),
        surroundings: {
          message: (_from, params) => voice.message(params),
          context: (_from, params) => voice.context(params),
          tools: (_from, tools) => voice.tools(tools),
          // Sampling is a draft of the specification: no host is known to support it.
          hasModel: () => isOurs(profile(item.profile)) && hasModel?.() === true,
          teardown: () => void this.closeForGood(item),
        },
      },
    );
    view.onclosed = (problem) => {
      item.update({ problem });
      void this.#close(item, app, problem);
    };
    view.onreopened = () => {
      item.goesOn(view.opened.hash);
      app.sayAgain();
    };
    const replaced = before && app.replace(before);
    item.update({ app, view: view.id });
    this.pins.attached(item, view.opened.call?.item ?? item.id);
    if (view.opened.place) this.#spares.shown(item.server, item.tool, view.opened.place);
    showsDocument(view.opened.hash);
    return replaced;
  }

  /** Closes the app of a call, and cancels a running call. It is not opened again after a reload. */
  async closeForGood(item: PageCall): Promise<void> {
    item.cancel();
    item.isAppClosed = true;
    await this.close(item);
    this.#options.remember(item);
  }

  /** Closes an app; a failure is shown with its call. */
  async #close(item: PageCall, app: AppModel | undefined, reason?: string): Promise<void> {
    try {
      await app?.close(reason);
    } catch (error) {
      item.update({ problem: `The app could not be closed properly: ${messageOf(error)}` });
    }
  }

  /**
   * Checks whether the document of an app is available again: the gateway does not delay a reload for slow
   * servers.
   */
  async #refresh({ opened }: GatewayView): Promise<void> {
    this.#looking ??= this.#options.gateway.request("gateway/views", {}).finally(() => {
      this.#looking = undefined;
    });
    try {
      const { views } = await this.#looking;
      const found = views.find(({ view }) => view === opened.view);
      if (found) Object.assign(opened, { place: found.place, problem: found.problem, hash: found.hash });
    } catch {
      // The known state is still sent.
    }
  }
}

/**
 * Closes a view without an entry. If the gateway does not answer, it has dropped the view with the session.
 */
const forget = (view: GatewayView): Promise<void> => view.close().catch(() => {});
