/**
 * The apps of calls: opened as soon as there is a call to show, renewed with their UI, and closed in order.
 *
 * @module
 */
import type { Gateway, GatewayView } from "@vitrine/host/gateway";
import type { GatewayRequests } from "@vitrine/wire";
import { type RenewalHome, Renewals } from "../conversation/renewals.js";
import type { Look } from "../diagnosis/look.js";
import { messageOf } from "../messages/messages.js";
import { APP_START, quietly } from "../observable.js";
import { isOurs, type Profile } from "../profiles/profile.js";
import { AppModel } from "./app-model.js";
import { gatewaySource } from "./app-source.js";
import { appVoice } from "./app-voice.js";
import type { CallItem } from "./call-item.js";
import { Spares, type Warm } from "./spares.js";

/** What {@link CallApps} stand on. */
export interface CallAppsOptions {
  readonly gateway: Gateway;
  /** What new apps look like. */
  readonly look: () => Look;
  readonly profile: (id?: string) => Profile;
  /** Starts an app out of sight, to take the place of one that runs. */
  readonly start?: RenewalHome["start"];
  /** Makes an app quick to show. */
  readonly warm?: Warm | undefined;
  /** Whether there is a model that apps may ask. */
  readonly hasModel?: (() => boolean) | undefined;
  /** The conversation that is shown. */
  readonly conversation: () => string | undefined;
  /** The call is in it. */
  readonly isThere: (item: CallItem) => boolean;
  /** What the page remembers with a call is not what it was. */
  readonly remember: (item: CallItem) => void;
  /** Hears of an app that another one came in place of. */
  readonly onrenewed: (before: AppModel, after: AppModel) => void;
}

/** Opens and closes the apps of calls. */
export class CallApps {
  readonly #options: CallAppsOptions;
  readonly #renewals: Renewals;
  readonly #spares: Spares;
  /** Calls whose app was opened, or was not to be had: the next try is that of its next UI. */
  readonly #tried = new WeakSet<CallItem>();
  readonly #opening = new Set<CallItem>();
  /** Views of before a reload, until their calls are known. */
  #found: GatewayView[] = [];
  /** The question where apps are now, while it is under way: one for all frames that come back at once. */
  #looking: Promise<GatewayRequests["gateway/views"]["result"]> | undefined;

  constructor(options: CallAppsOptions) {
    this.#options = options;
    this.#spares = new Spares(options.warm);
    this.#renewals = new Renewals({
      isShown: (item) => this.#isShown(item),
      open: (item) => this.#openView(item),
      show: (item, view, before) => {
        if (item.state === "done") item.update({ problem: undefined });
        return this.#attach(item, view, true, before);
      },
      forget: (view) => void forget(view),
      failed: (item, error) => item.update({ problem: messageOf(error) }),
      start: options.start,
      onrenewed: options.onrenewed,
    });
  }

  /** These are there from before a reload: calls are shown in them. */
  find(views: readonly GatewayView[]): void {
    this.#found.push(...views);
  }

  /** All calls are known. What this page knows nothing of, nobody would ever close. */
  settle(): void {
    for (const view of this.#found.splice(0)) void forget(view);
  }

  /**
   * Shows a call in its app, if it has one: once.
   *
   * @param isRestored it may have been open before, and have kept something
   */
  async open(item: CallItem, isRestored: boolean): Promise<void> {
    // The model wrote arguments that no tool takes: no server was called, and there is nothing to show.
    if (!item.hasApp && item.app) await this.close(item, "the call was not made");
    if (!item.wantsApp || this.#tried.has(item)) return;
    this.#tried.add(item);
    const found = this.#take(item);
    if (found) {
      this.#attach(item, found, true);
      return;
    }
    this.#opening.add(item);
    // The entry is drawn with its app, at once.
    await quietly(this.#openFor(item, isRestored), APP_START);
    this.#opening.delete(item);
  }

  async #openFor(item: CallItem, isRestored: boolean): Promise<void> {
    try {
      const view = await this.#openView(item);
      if (this.#isShown(item)) this.#attach(item, view, isRestored);
      else void forget(view);
    } catch (error) {
      if (this.#isShown(item)) item.update({ problem: messageOf(error) });
    }
  }

  /** Something is about to be called: what was shown last is made ready to be shown again. */
  expect(): void {
    this.#spares.expect();
  }

  /** Another conversation is to be shown. */
  leave(): void {
    this.#spares.clear();
  }

  /** Closes the app of a call, when it has finished: it may have something to keep (L08). */
  async close(item: CallItem, reason?: string): Promise<void> {
    const { app } = item;
    // Whoever is about to open it again must not.
    item.update({ view: undefined });
    await this.#close(item, app, reason);
    if (item.app === app) item.update({ app: undefined });
  }

  /** The UIs of these calls are not what they were: their apps begin anew. */
  async renew(items: readonly CallItem[]): Promise<void> {
    const isMeant = (item: CallItem): boolean =>
      item.wantsApp && this.#tried.has(item) && !this.#opening.has(item);
    await Promise.all(items.filter(isMeant).map((item) => this.#renewals.renew(item)));
  }

  /** The view from before a reload that shows this call. */
  #take({ id }: CallItem): GatewayView | undefined {
    const conversation = this.#options.conversation();
    const isMeant = ({ opened: { call } }: GatewayView): boolean =>
      call?.item === id && call.conversation === conversation;
    const found = this.#found.find(isMeant);
    this.#found = this.#found.filter((view) => view !== found);
    return found;
  }

  #isShown(item: CallItem): boolean {
    return item.wantsApp && this.#options.isThere(item);
  }

  /** Opens the app of a call: the gateway tells it of the call, from where that is. */
  #openView(item: CallItem): Promise<GatewayView> {
    const { server, tool, id } = item;
    const { gateway, profile, conversation } = this.#options;
    item.profile ??= profile().id;
    const { narrow } = profile(item.profile);
    return gateway.openView({ server, tool, call: { conversation: conversation() ?? "", item: id }, narrow });
  }

  /**
   * @param before the app that it comes in place of
   * @returns when it is there, in that case
   */
  #attach(
    item: CallItem,
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
          // It is a draft of the specification's: no host is known to have it.
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
    if (view.opened.place) this.#spares.shown(item.server, item.tool, view.opened.place);
    showsDocument(view.opened.hash);
    return replaced;
  }

  /** Closes the app of a call, and takes the call back if it is under way. It is not opened again after a reload. */
  async closeForGood(item: CallItem): Promise<void> {
    item.cancel();
    item.isAppClosed = true;
    await this.close(item);
    this.#options.remember(item);
  }

  /** Closes an app; what goes wrong with that, its call says. */
  async #close(item: CallItem, app: AppModel | undefined, reason?: string): Promise<void> {
    try {
      await app?.close(reason);
    } catch (error) {
      item.update({ problem: `The app could not be closed in order: ${messageOf(error)}` });
    }
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
}

/** Closes a view that is in no entry. If the gateway does not answer, it has forgotten the view with the session. */
const forget = (view: GatewayView): Promise<void> => view.close().catch(() => {});
