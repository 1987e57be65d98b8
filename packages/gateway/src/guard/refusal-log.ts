/**
 * What was refused, on record; however much it is.
 *
 * @module
 */
import type { AuditEntry } from "../store/store.js";

/** Options of {@link RefusalLog}. */
export interface RefusalLogOptions {
  /** Writes an entry. */
  readonly write: (entry: AuditEntry) => Promise<unknown>;
  /** Hears that an entry could not be written. What it is about was refused all the same. */
  readonly onerror: (error: unknown) => void;
  /** Milliseconds in which refusals are counted together; 1,000 by default. */
  readonly window?: number | undefined;
}

/** Rows of one view in a window; those that are over its rate say nothing new, so one is enough. */
const MAX_ROWS = 20;

interface Window {
  rows: number;
  hasRateRow: boolean;
  /** What was not written, by reason: the last one, and how many. */
  readonly more: Map<string, { entry: AuditEntry; count: number }>;
  readonly timer: NodeJS.Timeout;
}

/**
 * Writes a row for each refusal, and one row for the many of a flood: an app that is refused a thousand times a second
 * fills no disk. That row's reason has the number: `tool-unknown ×980`.
 */
export class RefusalLog {
  readonly #options: RefusalLogOptions;
  readonly #windows = new Map<string, Window>();

  constructor(options: RefusalLogOptions) {
    this.#options = options;
  }

  /** Resolves when the row is written, or counted. */
  async note(lane: string, entry: AuditEntry): Promise<void> {
    const window = this.#windows.get(lane) ?? this.#open(lane);
    const isRate = entry.reason === "rate-limited";
    if (window.rows < MAX_ROWS && !(isRate && window.hasRateRow)) {
      window.rows++;
      window.hasRateRow ||= isRate;
      return this.#write(entry);
    }
    const before = window.more.get(entry.reason);
    window.more.set(entry.reason, { entry, count: (before?.count ?? 0) + 1 });
  }

  /** Writes what was only counted: of one view, or of all. */
  async flush(lane?: string): Promise<void> {
    const lanes = lane === undefined ? [...this.#windows.keys()] : [lane];
    await Promise.all(lanes.map((each) => this.#end(each)));
  }

  #open(lane: string): Window {
    const timer = setTimeout(() => void this.#end(lane), this.#options.window ?? 1000);
    // The record must not keep a process alive that has nothing else to do; `flush` comes at its end.
    timer.unref();
    const window: Window = { rows: 0, hasRateRow: false, more: new Map(), timer };
    this.#windows.set(lane, window);
    return window;
  }

  async #end(lane: string): Promise<void> {
    const window = this.#windows.get(lane);
    if (!window) return;
    clearTimeout(window.timer);
    this.#windows.delete(lane);
    for (const { entry, count } of window.more.values()) {
      await this.#write({ ...entry, reason: `${entry.reason} ×${count}` });
    }
  }

  async #write(entry: AuditEntry): Promise<void> {
    try {
      await this.#options.write(entry);
    } catch (error) {
      this.#options.onerror(error);
    }
  }
}
