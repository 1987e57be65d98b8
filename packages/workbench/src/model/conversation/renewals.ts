/**
 * Restarts apps whose UI has changed. The running app stays until the new one has sent its first message, or
 * if there is none.
 *
 * @module
 */
import type { GatewayView } from "@vitrine/host/gateway";
import type { ViewPlace } from "@vitrine/wire";
import type { AppModel } from "../app/app-model.js";
import type { PageCall } from "../app/call-item.js";

/** An app that was started in the background. */
export interface StartedApp {
  /** Resolves when it has sent its first message, or is late. */
  readonly said: Promise<void>;
  /** Ends it, if it was not shown. */
  drop(): void;
}

/** The part of the conversation that restarts need. */
export interface RenewalHome {
  /** Whether the call is in the conversation, with an app. */
  isShown(item: PageCall): boolean;
  /** Opens the app of a call, without calling the tool again. */
  open(item: PageCall): Promise<GatewayView>;
  /** Replaces the previous app; resolves when the new one is shown, or has failed. */
  show(item: PageCall, view: GatewayView, before: AppModel | undefined): Promise<void> | undefined;
  /** Closes an unused view. */
  forget(view: GatewayView): void;
  /** Reports why there is no new app. */
  failed(item: PageCall, error: unknown): void;
  /** Starts an app in the background. */
  readonly start?: ((place: ViewPlace) => StartedApp) | undefined;
  /** Called when an app was replaced. */
  onrenewed(before: AppModel, after: AppModel): void;
}

/** Restarts apps, each at most once at a time. */
export class Renewals {
  readonly #home: RenewalHome;
  /** Calls whose app is being restarted; true if its UI has changed again. */
  readonly #underWay = new Map<PageCall, boolean>();

  constructor(home: RenewalHome) {
    this.#home = home;
  }

  /** Restarts an app when its call is over, and tells it why; resolves when the new one is shown. */
  async renew(item: PageCall, reason = "its UI has changed"): Promise<void> {
    if (this.#underWay.has(item)) {
      this.#underWay.set(item, true);
      return;
    }
    // Not awaited before the next one: an app that never connects must not delay one that does.
    let there: Promise<void> | undefined;
    try {
      do {
        this.#underWay.set(item, false);
        await item.over();
        this.#underWay.set(item, false);
        if (!this.#home.isShown(item)) return;
        there = (await this.#once(item, reason))?.there;
      } while (this.#underWay.get(item));
    } finally {
      this.#underWay.delete(item);
    }
    await there;
  }

  async #once(item: PageCall, reason: string): Promise<{ there: Promise<void> | undefined } | undefined> {
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
    if (home.isShown(item)) await before?.finish(reason);
    if (!home.isShown(item)) {
      started?.drop();
      home.forget(view);
      return undefined;
    }
    // The page is present, so the user sees the restart, and no note is needed.
    item.update({ document: undefined, note: undefined });
    const there = home.show(item, view, before);
    // Notifies the owner of the previous app; a failure does not concern the new one.
    before?.close().catch(() => {});
    if (before && item.app && item.app !== before) home.onrenewed(before, item.app);
    return { there };
  }
}
