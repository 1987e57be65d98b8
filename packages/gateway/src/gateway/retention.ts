/**
 * Removes what is older than the settings say, every hour: rows of the audit log, conversations, and unused
 * space of the database.
 *
 * @module
 */
import { messageOf } from "@vitrine/servers/support";
import type { GatewayParts } from "./parts.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Timers of the retention. Nothing that they start is waited for by a call. */
export class Retention {
  readonly #parts: GatewayParts;
  readonly #timers: readonly NodeJS.Timeout[];
  #running: Promise<void> | undefined;
  #isClosed = false;
  /** The reasons why old data could not be removed, so that each is reported once. */
  readonly #problems = new Map<string, string>();

  constructor(parts: GatewayParts) {
    this.#parts = parts;
    this.#timers = [
      setInterval(() => void this.run(), HOUR).unref(),
      // Holds that another process added or ended become part of the log.
      setInterval(() => void this.#recordHolds(), MINUTE).unref(),
    ];
  }

  /** Removes everything that is old now. Never rejects. */
  run(): Promise<void> {
    return (this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    }));
  }

  close(): void {
    this.#isClosed = true;
    for (const timer of this.#timers) clearInterval(timer);
  }

  async #run(): Promise<void> {
    const { disk, log, settings, conversations } = this.#parts;
    const { store } = disk;
    const { archive } = settings.audit;
    await this.#recordHolds();
    await this.#try("the audit log could not be pruned", async () => {
      const before = startOf(settings.audit.retentionDays);
      const removed = before === undefined ? 0 : await store.audit.prune(before, { archive });
      if (removed > 0) log.info({ removed, archive }, "old rows of the audit log were removed");
    });
    await this.#try("old conversations could not be removed", () =>
      conversations.prune(startOf(settings.conversations.retentionDays)),
    );
    await this.#try("old documents of apps could not be removed", async () => {
      const removed = (await disk.shared?.documents.prune()) ?? 0;
      if (removed > 0) log.info({ removed }, "old documents of apps were removed");
    });
    await this.#try("unused space of the database could not be returned", () => store.shrink());
    this.#parts.counts.retentionAlarm.set({}, this.#problems.size > 0 ? 1 : 0);
  }

  #recordHolds(): Promise<void> {
    return this.#try("legal holds could not be recorded", () => this.#parts.disk.store.holds.record());
  }

  async #try(what: string, work: () => Promise<void>): Promise<void> {
    if (this.#isClosed) return;
    const { log } = this.#parts;
    try {
      await work();
      if (this.#problems.delete(what)) log.info(`${what}: this works again`);
    } catch (error) {
      // The database was closed under it.
      if (this.#isClosed) return;
      const message = messageOf(error);
      if (this.#problems.get(what) !== message) log.error({ err: error }, what);
      this.#problems.set(what, message);
    }
  }
}

/**
 * The time before which data is old; undefined to keep it. Whole days in UTC, so that a day's rows are removed
 * together, and form one archive file.
 */
function startOf(days: number | undefined): number | undefined {
  if (days === undefined) return undefined;
  const before = Date.now() - days * DAY;
  return days < 1 ? before : Math.floor(before / DAY) * DAY;
}
