/**
 * Calls that this page makes, as long as the gateway has not told of them.
 *
 * @module
 */
import type { CallItem as ToldCall } from "@vitrine/wire";
import type { CallItem } from "./call-item.js";
import { readPage } from "./call-page.js";

interface SentCall {
  /** The conversation that it was sent to; undefined while it waits for one to be open. */
  to: string | undefined;
  /** Resolves when the gateway has answered. */
  readonly answered: Promise<void>;
}

/** Shows calls at once, and finds them again when the gateway tells of them under its own names. */
export class SentCalls {
  readonly #calls = new Map<CallItem, SentCall>();
  /** The names of those that were taken away meanwhile. */
  readonly #unwanted = new Set<string>();

  get items(): CallItem[] {
    return [...this.#calls.keys()];
  }

  has(item: CallItem): boolean {
    return this.#calls.has(item);
  }

  /** Shows one; `send` is called when it is shown. */
  async add(item: CallItem, send: () => Promise<void>): Promise<void> {
    const answered = Promise.resolve().then(send);
    this.#calls.set(item, { to: undefined, answered });
    await answered;
  }

  /** It goes to this conversation; false if it was taken away while it waited. */
  sent(item: CallItem, to: string): boolean {
    const call = this.#calls.get(item);
    if (call) call.to = to;
    return call !== undefined;
  }

  /** Resolves when the gateway knows it, or has refused it. */
  async answered(item: CallItem): Promise<void> {
    await this.#calls.get(item)?.answered;
  }

  /** Takes one away. One that the gateway may know is taken away there when it tells of it. */
  remove(item: CallItem): boolean {
    const call = this.#calls.get(item);
    if (!call) return false;
    this.#calls.delete(item);
    if (call.to !== undefined && !item.isOver) this.#unwanted.add(item.key);
    return true;
  }

  /** Another conversation is shown: what still waits goes there, what was sent is in the one before. */
  leave(): void {
    for (const [item, { to }] of this.#calls) if (to !== undefined || item.isOver) this.#calls.delete(item);
  }

  /** The call that the gateway tells of, if it is one of these; undefined for another one. */
  take(told: ToldCall): CallItem | "unwanted" | undefined {
    const { key } = readPage(told.page);
    if (key !== undefined && this.#unwanted.delete(key)) return "unwanted";
    // By the page's own name for it: what becomes of it may be told before the answer that names it comes.
    const item = this.items.find((each) => each.key === key || each.id === told.id);
    if (!item) return undefined;
    this.#calls.delete(item);
    item.take(told);
    return item;
  }
}
