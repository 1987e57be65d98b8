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

  /** Writes the summaries: of one view, or of all. */
  async flush(lane?: string): Promise<void> {
    const lanes = lane === undefined ? [...this.#windows.keys()] : [lane];
    await Promise.all(lanes.map((each) => this.#end(each)));
  }

  #open(lane: string): Window {
    const timer = setTimeout(() => void this.#end(lane), this.#options.window ?? 1000);
    // Must not keep an idle process alive; `flush` runs at its end.
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
