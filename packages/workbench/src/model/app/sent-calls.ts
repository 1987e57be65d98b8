/**
 * Calls of this page that the gateway has not reported yet.
 *
 * @module
 */
import type { CallItem as ToldCall } from "@vitrine/wire";
import type { PageCall } from "./call-item.js";
import { readPage } from "./call-page.js";

interface SentCall {
  /** The conversation that it was sent to; undefined while it waits for one. */
  to: string | undefined;
  /** Resolves when the gateway has answered. */
  readonly answered: Promise<void>;
}

/** Shows calls immediately, and matches them when the gateway reports them under its own ids. */
export class SentCalls {
  readonly #calls = new Map<PageCall, SentCall>();
  /** The ids of those that were removed meanwhile. */
  readonly #unwanted = new Set<string>();

  get items(): PageCall[] {
    return [...this.#calls.keys()];
  }

  has(item: PageCall): boolean {
    return this.#calls.has(item);
  }

  /** Adds a call; `send` is called after it is shown. */
  async add(item: PageCall, send: () => Promise<void>): Promise<void> {
    const answered = Promise.resolve().then(send);
    this.#calls.set(item, { to: undefined, answered });
    await answered;
  }

  /** It goes to this conversation; false if it was removed while it waited. */
  sent(item: PageCall, to: string): boolean {
    const call = this.#calls.get(item);
    if (call) call.to = to;
    return call !== undefined;
  }

  /** Resolves when the gateway has accepted or refused it. */
  async answered(item: PageCall): Promise<void> {
    await this.#calls.get(item)?.answered;
  }

  /** Removes a call. If the gateway may know it, it is removed there once it is reported. */
  remove(item: PageCall): boolean {
    const call = this.#calls.get(item);
    if (!call) return false;
    this.#calls.delete(item);
    if (call.to !== undefined && !item.isOver) this.#unwanted.add(item.key);
    return true;
  }

  /** Another conversation is shown: waiting calls go there, sent ones stay in the previous one. */
  leave(): void {
    for (const [item, { to }] of this.#calls) if (to !== undefined || item.isOver) this.#calls.delete(item);
  }

  /** The local call that the gateway reports; undefined for any other. */
  take(told: ToldCall): PageCall | "unwanted" | undefined {
    const { key } = readPage(told.page);
    if (key !== undefined && this.#unwanted.delete(key)) return "unwanted";
    // By the page's own key: an update may arrive before the answer with its id.
    const item = this.items.find((each) => each.key === key || each.id === told.id);
    if (!item) return undefined;
    this.#calls.delete(item);
    item.take(told);
    return item;
  }
}
