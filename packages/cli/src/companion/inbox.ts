/**
 * What happened while the agent did something else, for everybody who asks.
 *
 * @module
 */
import type { News } from "./companion-host.js";

/** News, numbered. */
interface Kept {
  readonly number: number;
  readonly news: News;
}

/** What somebody has not heard. */
export interface Unheard {
  readonly news: readonly News[];
  /** Whether there were older ones, which were not kept. */
  readonly isIncomplete: boolean;
}

/** News that are kept: an agent that never asks must not fill the memory. */
const MOST = 200;

/** Keeps news, of what apps want the model to know only the last of each. */
export class Inbox {
  #kept: Kept[] = [];
  #last = 0;
  /** The numbers of those that were not kept go up to this one. */
  #lostUpTo = 0;
  readonly #waiting = new Set<() => void>();
  /** Told when a reader has taken news. */
  onread: (() => void) | undefined;

  /** The number of what came last. */
  get last(): number {
    return this.#last;
  }

  add(news: News): void {
    const isReplaced = ({ news: old }: Kept): boolean =>
      old.kind === "context" && news.kind === "context" && old.from.number === news.from.number;
    this.#kept = [...this.#kept.filter((each) => !isReplaced(each)), { number: ++this.#last, news }];
    const [oldest] = this.#kept;
    if (oldest && this.#kept.length > MOST) {
      this.#kept.shift();
      this.#lostUpTo = oldest.number;
    }
    for (const wake of [...this.#waiting]) wake();
  }

  /** What came after a number. */
  since(number: number): Unheard {
    return {
      news: this.#kept.filter((each) => each.number > number).map(({ news }) => news),
      isIncomplete: this.#lostUpTo > number,
    };
  }

  /** Resolves when there is something after a number, after so many milliseconds, or when it is aborted. */
  async wait(number: number, milliseconds: number, signal: AbortSignal): Promise<void> {
    if (this.#last > number || signal.aborted || milliseconds <= 0) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(end);
        signal.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      this.#waiting.add(end);
      signal.addEventListener("abort", end, { once: true });
    });
  }
}

/** One who reads it: hears everything once. */
export class Reader {
  readonly #inbox: Inbox;
  #heard: number;

  /** Hears what comes from now on. */
  constructor(inbox: Inbox) {
    this.#inbox = inbox;
    this.#heard = inbox.last;
  }

  /** What is new since it was asked last. */
  take(): Unheard {
    const unheard = this.#inbox.since(this.#heard);
    this.#heard = this.#inbox.last;
    if (unheard.news.length > 0) this.#inbox.onread?.();
    return unheard;
  }

  /** Waits until there is something new, for so many milliseconds at most. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    return this.#inbox.wait(this.#heard, milliseconds, signal);
  }
}
