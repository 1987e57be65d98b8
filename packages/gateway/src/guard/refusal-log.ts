/**
 * Records refusals, with a limit per second.
 *
 * @module
 */
import type { AuditEntry } from "../store/store.js";

/** Options of {@link RefusalLog}. */
export interface RefusalLogOptions {
  /** Writes an entry. */
  readonly write: (entry: AuditEntry) => Promise<unknown>;
  /** Called if an entry could not be written. The call was refused nevertheless. */
  readonly onerror: (error: unknown) => void;
  /** Milliseconds for which refusals are counted together; 1,000 by default. */
  readonly window?: number | undefined;
}

/** Maximum rows of a view per window. Rate limit refusals carry no new information, so one row is enough. */
const MAX_ROWS = 20;

interface Window {
  rows: number;
  hasRateRow: boolean;
  /** Unwritten refusals by reason: the last one, and their number. */
  readonly more: Map<string, { entry: AuditEntry; count: number }>;
  readonly timer: NodeJS.Timeout;
}

/**
 * Writes a row for each refusal, and a single row for the rest of a flood, so that an app that is refused a
 * thousand times per second does not fill the disk. The reason of that row contains the number: `tool-unknown
 * ×980`.
 */
export class RefusalLog {
  readonly #options: RefusalLogOptions;
  readonly #windows = new Map<string, Window>();

  constructor(options: RefusalLogOptions) {
    this.#options = options;
  }

  /** Resolves when the row is written or counted. */
  async note(key: string, entry: AuditEntry): Promise<void> {
    const window = this.#windows.get(key) ?? this.#open(key);
    const isRate = entry.reason === "rate-limited";
    if (window.rows < MAX_ROWS && !(isRate && window.hasRateRow)) {
      window.rows++;
      window.hasRateRow ||= isRate;
      return this.#write(entry);
    }
    const before = window.more.get(entry.reason);
    window.more.set(entry.reason, { entry, count: (before?.count ?? 0) + 1 });
  }

  /** Writes the summaries: of one view, or of all. */
  async flush(key?: string): Promise<void> {
    const keys = key === undefined ? [...this.#windows.keys()] : [key];
    await Promise.all(keys.map((each) => this.#end(each)));
  }

  #open(key: string): Window {
    const timer = setTimeout(() => void this.#end(key), this.#options.window ?? 1000);
    // Must not keep an idle process alive; `flush` runs at its end.
    timer.unref();
    const window: Window = { rows: 0, hasRateRow: false, more: new Map(), timer };
    this.#windows.set(key, window);
    return window;
  }

  async #end(key: string): Promise<void> {
    const window = this.#windows.get(key);
    if (!window) return;
    clearTimeout(window.timer);
    this.#windows.delete(key);
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
