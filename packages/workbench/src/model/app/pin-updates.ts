/**
 * Calls whose input and result go to a pinned app of the same tool, instead of opening another app.
 *
 * @module
 */
import type { PageCall } from "./call-item.js";

/** The part of the conversation that updates need. */
export interface PinHome {
  /** The calls of the conversation, in order. */
  calls(): readonly PageCall[];
  /** Reloads the app of a call in its place, with the call that it shows now: a view gets its input once (L04). */
  reload(item: PageCall): Promise<void>;
  /** Called when the page's data about a call changed. */
  remember(item: PageCall): void;
}

/** Finds the pinned app of a new call, and updates it when the call is over. */
export class PinUpdates {
  readonly #home: PinHome;
  /** Calls whose end is awaited, or was handled. */
  readonly #sent = new WeakSet<PageCall>();
  /** The call that each pinned app shows, by its id. */
  readonly #shown = new WeakMap<PageCall, string>();

  constructor(home: PinHome) {
    this.#home = home;
  }

  /** The pinned app that calls of this tool update: the newest, if there are several. */
  pinFor({ appOf, server, identity, tool }: Pick<PageCall, "appOf" | "server" | "identity" | "tool">) {
    // A name alone may be another server's.
    if (appOf || identity === undefined) return undefined;
    return this.#home
      .calls()
      .findLast(
        (each) =>
          each.isPinned &&
          each.isFollowing &&
          each.app !== undefined &&
          each.server === server &&
          each.identity === identity &&
          each.tool === tool,
      );
  }

  /** The pinned app that a call went to, while that is there. */
  pinOf({ pin }: PageCall): PageCall | undefined {
    if (pin === undefined) return undefined;
    return this.#home.calls().find((each) => each.id === pin && each.isPinned && each.app !== undefined);
  }

  /** The call that the app of a call shows: a later one, if that updated it. */
  shownIn(item: PageCall): PageCall {
    if (item.latest === undefined) return item;
    return this.#home.calls().find(({ id }) => id === item.latest) ?? item;
  }

  /** A new call: it goes to the pinned app of its tool, if there is one. */
  claim(item: PageCall): void {
    if (item.pin !== undefined || !item.wantsApp) return;
    const pin = this.pinFor(item);
    if (!pin || pin === item) return;
    item.update({ pin: pin.id });
    this.#home.remember(item);
  }

  /** Updates the pinned app once the call is over. A call that failed leaves it as it is. */
  async deliver(item: PageCall): Promise<void> {
    if (this.#sent.has(item)) return;
    this.#sent.add(item);
    await item.over();
    const pin = this.pinOf(item);
    if (!pin || pin.latest === item.id) return;
    if (item.state !== "done" || !item.hasApp || item.result?.isError) return this.#release(item);
    // Calls may end in another order: the last one of the conversation stays.
    const calls = this.#home.calls();
    if (calls.indexOf(item) < calls.indexOf(this.shownIn(pin))) return;
    pin.update({ latest: item.id });
    await this.#home.reload(pin);
  }

  /** The app of a call was attached, and shows this call. */
  attached(pin: PageCall, shown: string): void {
    const before = this.#shown.get(pin);
    this.#shown.set(pin, shown);
    if (before !== undefined && before !== shown) this.#home.remember(pin);
  }

  /** The app could not be reloaded: it goes on with the call that it showed before. */
  failed(pin: PageCall): void {
    const before = this.#shown.get(pin) ?? pin.id;
    const missed = this.#home.calls().find(({ id }) => id === pin.latest);
    if (!missed || missed.id === before) return;
    pin.update({ latest: before === pin.id ? undefined : before });
    this.#release(missed);
  }

  /** A call was removed: the pinned app that showed it goes back to its own call. */
  removed(item: PageCall): void {
    const pin = this.#home.calls().find(({ latest }) => latest === item.id);
    if (!pin) return;
    pin.update({ latest: undefined });
    this.#home.remember(pin);
    if (pin.app) void this.#home.reload(pin);
  }

  /** Shows a call with its result, without an app. */
  #release(item: PageCall): void {
    item.update({ pin: undefined, isAppClosed: true });
    this.#home.remember(item);
  }
}
