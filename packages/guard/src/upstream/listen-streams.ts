import { isRecord, recordOf } from "@vitrine/protocol";
/**
 * Streams of `subscriptions/listen` (revision 2026-07-28): a server sends change notifications only while one is open.
 *
 * @module
 */

/** Notifications that a stream requests. */
export interface ListenFilter {
  toolsListChanged?: boolean;
  promptsListChanged?: boolean;
  resourcesListChanged?: boolean;
  resourceSubscriptions?: string[];
}

/** An open stream. */
export interface ListenStream {
  close(): Promise<void>;
  readonly closed: Promise<unknown>;
}

/** Options of {@link ListenStreams}. */
export interface ListenStreamsOptions {
  open: (filter: ListenFilter) => Promise<ListenStream>;
  /** A cut stream is open again: notifications in between were lost. */
  onreopened: (filter: ListenFilter) => void;
  /** Receives why a cut stream could not be reopened. */
  onerror: (error: unknown) => void;
}

/** Milliseconds before a cut stream is reopened: the first wait, doubled each time up to the longest. */
const FIRST_WAIT = 500;
const LONGEST_WAIT = 30_000;
/** Milliseconds for which a stream must have been open before the next wait is the first one again. */
const STEADY = 10_000;

interface Wanted {
  readonly filter: ListenFilter;
  opened: Promise<ListenStream>;
  wait: number;
}

/** The streams of one connection, by key. A stream that is cut is reopened until it is closed here. */
export class ListenStreams {
  readonly #options: ListenStreamsOptions;
  readonly #wanted = new Map<string, Wanted>();

  constructor(options: ListenStreamsOptions) {
    this.#options = options;
  }

  /** Opens a stream unless there is one; resolves when the server has acknowledged it. */
  async open(key: string, filter: ListenFilter): Promise<void> {
    let wanted = this.#wanted.get(key);
    if (!wanted) {
      wanted = { filter, opened: this.#options.open(filter), wait: FIRST_WAIT };
      this.#wanted.set(key, wanted);
      this.#keep(key, wanted);
    }
    await wanted.opened;
  }

  async close(key: string): Promise<void> {
    const wanted = this.#wanted.get(key);
    this.#wanted.delete(key);
    await (await wanted?.opened)?.close();
  }

  /** Forgets all streams: their connection is gone. */
  clear(): void {
    this.#wanted.clear();
  }

  #keep(key: string, wanted: Wanted): void {
    const isWanted = (): boolean => this.#wanted.get(key) === wanted;
    wanted.opened.then(
      async ({ closed }) => {
        const openedAt = Date.now();
        await closed;
        if (Date.now() - openedAt > STEADY) wanted.wait = FIRST_WAIT;
        if (isWanted()) this.#reopenLater(key, wanted);
      },
      // The first attempt failed: the caller of `open` knows, and may try again.
      () => isWanted() && this.#wanted.delete(key),
    );
  }

  #reopenLater(key: string, wanted: Wanted): void {
    const again = async (): Promise<void> => {
      if (this.#wanted.get(key) !== wanted) return;
      const opened = this.#options.open(wanted.filter);
      try {
        await opened;
      } catch (error) {
        if (this.#wanted.get(key) !== wanted) return;
        // A JSON-RPC error is the server's refusal; anything else may pass.
        if (typeof recordOf(error).code !== "number") return this.#reopenLater(key, wanted);
        this.#wanted.delete(key);
        return this.#options.onerror(error);
      }
      // Closed here meanwhile: nobody else knows this stream.
      if (this.#wanted.get(key) !== wanted) return (await opened).close();
      wanted.opened = opened;
      this.#keep(key, wanted);
      this.#options.onreopened(wanted.filter);
    };
    const timer: unknown = setTimeout(() => void again(), wanted.wait);
    // In Node.js a timer must not keep a process alive that has nothing else to do.
    if (isRecord(timer) && typeof timer["unref"] === "function") timer["unref"]();
    wanted.wait = Math.min(wanted.wait * 2, LONGEST_WAIT);
  }
}
