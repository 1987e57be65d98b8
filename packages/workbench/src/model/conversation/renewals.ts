/**
 * Apps that begin anew because their UI has changed. The one that runs stays until the next one has said its first word, and if
 * there is none to be had.
 *
 * @module
 */
import type { GatewayView } from "@vitrine/host/gateway";
import type { ViewPlace } from "@vitrine/wire";
import type { AppModel } from "../app/app-model.js";
import type { CallItem } from "../app/call-item.js";

/** An app that was started out of sight. */
export interface StartedApp {
  /** Resolves when it has said its first word, or is late with it. */
  readonly said: Promise<void>;
  /** Ends it, if nobody has come to show it. */
  drop(): void;
}

/** The conversation, as far as apps that begin anew need it. */
export interface RenewalHome {
  /** The call is in the conversation, and has an app there. */
  isShown(item: CallItem): boolean;
  /** Opens the app of a call, without calling the tool again. */
  open(item: CallItem): Promise<GatewayView>;
  /** Shows an app in place of the one before; resolves when it is there, or is not to be had. */
  show(item: CallItem, view: GatewayView, before: AppModel | undefined): Promise<void> | undefined;
  /** Closes a view that nobody shows. */
  forget(view: GatewayView): void;
  /** Tells why there is no other app. */
  failed(item: CallItem, error: unknown): void;
  /** Starts an app out of sight. */
  readonly start?: ((place: ViewPlace) => StartedApp) | undefined;
  /** Hears of an app that another one came in place of. */
  onrenewed(before: AppModel, after: AppModel): void;
}

/** Renews apps, each one time at a time. */
export class Renewals {
  readonly #home: RenewalHome;
  /** Calls whose app is being renewed; true if it has to be again, as its UI has changed again. */
  readonly #underWay = new Map<CallItem, boolean>();

  constructor(home: RenewalHome) {
    this.#home = home;
  }

  /** Has an app begin anew, when its call is over; resolves when the new one is there. */
  async renew(item: CallItem): Promise<void> {
    if (this.#underWay.has(item)) {
      this.#underWay.set(item, true);
      return;
    }
    // Not waited for before the next one: an app that never connects must not hold up the one that does.
    let there: Promise<void> | undefined;
    try {
      do {
        this.#underWay.set(item, false);
        await item.over();
        this.#underWay.set(item, false);
        if (!this.#home.isShown(item)) return;
        there = (await this.#once(item))?.there;
      } while (this.#underWay.get(item));
    } finally {
      this.#underWay.delete(item);
    }
    await there;
  }

  async #once(item: CallItem): Promise<{ there: Promise<void> | undefined } | undefined> {
    const home = this.#home;
    const before = item.app;
    let view: GatewayView;
    try {
      view = await home.open(item);
    } catch (error) {
      home.failed(item, error);
      return undefined;
    }
    const { place } = view.opened;
    const started = before?.state === "ready" && place ? home.start?.(place) : undefined;
    await started?.said;
    if (home.isShown(item)) await before?.finish("its UI has changed");
    if (!home.isShown(item)) {
      started?.drop();
      home.forget(view);
      return undefined;
    }
    // The page was there, and the person sees it begin anew.
    item.update({ document: undefined, note: undefined });
    const there = home.show(item, view, before);
    // Whoever had opened it learns that it is gone; that it could not be told is no matter of the new one.
    before?.close().catch(() => {});
    if (before && item.app && item.app !== before) home.onrenewed(before, item.app);
    return { there };
  }
}
