/**
 * Events for agents that happened while they did something else.
 *
 * @module
 */
import type { News } from "./companion-host.js";

/** News, numbered. */
interface Kept {
  readonly number: number;
  readonly news: News;
}

/** Unread news. */
export interface Unheard {
  readonly news: readonly News[];
  /** Whether older news were dropped. */
  readonly isIncomplete: boolean;
}

/** Maximum number of kept news, so that an idle agent does not fill the memory. */
const MOST = 200;

/** Keeps news; of an app's context only the latest. */
export class Inbox {
  #kept: Kept[] = [];
  #last = 0;
  /** Number of the last dropped entry. */
  #lostUpTo = 0;
  readonly #waiting = new Set<() => void>();
  /** Called when a reader has taken news. */
  onread: (() => void) | undefined;

  /** Number of the latest entry. */
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

  /** The news after a number. */
  since(number: number): Unheard {
    return {
      news: this.#kept.filter((each) => each.number > number).map(({ news }) => news),
      isIncomplete: this.#lostUpTo > number,
    };
  }

  /** Resolves when there are news after a number, after a timeout, or when aborted. */
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

/** A reader that gets each entry once. */
export class InboxReader {
  readonly #inbox: Inbox;
  #heard: number;

  /** Starts with the news from now on. */
  constructor(inbox: Inbox) {
    this.#inbox = inbox;
    this.#heard = inbox.last;
  }

  /** Takes the news since the last call. */
  take(): Unheard {
    const unheard = this.#inbox.since(this.#heard);
    this.#heard = this.#inbox.last;
    if (unheard.news.length > 0) this.#inbox.onread?.();
    return unheard;
  }

  /** Waits until there are news, up to a timeout in milliseconds. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    return this.#inbox.wait(this.#heard, milliseconds, signal);
  }
}
