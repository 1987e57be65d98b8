/**
 * Sends notifications to a page that may read slowly.
 *
 * @module
 */
import type { Progress, RequestId } from "@vitrine/protocol";
import { notificationMessage } from "./rpc.js";
import { SmallMap } from "./small-map.js";

/** Options of {@link PacedNotices}. */
export interface PacedNoticesOptions {
  send(text: string): void;
  /** Whether the send queue is above its high-water mark. */
  isCongested(): boolean;
}

/** Sends notifications. While the page is slow, only the latest one of each kind is kept for later. */
export class PacedNotices {
  readonly #options: PacedNoticesOptions;
  /** The delayed notifications, by kind. */
  readonly #delayed = new SmallMap<string, string>();

  constructor(options: PacedNoticesOptions) {
    this.#options = options;
  }

  notify(kind: string, text: string): void {
    if (this.#options.isCongested()) this.#delayed.set(kind, text);
    else {
      // An older one must not follow it.
      this.#delayed.delete(kind);
      this.#options.send(text);
    }
  }

  /** Sends the progress of a request, under the requester's token. */
  progress(token: RequestId, progress: Progress): void {
    const text = notificationMessage("notifications/progress", { ...progress, progressToken: token });
    this.notify(`progress ${token}`, text);
  }

  /** Drops the delayed progress of a finished request. */
  endProgress(token: RequestId | undefined): void {
    this.#delayed.delete(`progress ${token}`);
  }

  /** Sends delayed notifications, because the page reads again. */
  resume(): void {
    for (const [kind, text] of [...this.#delayed]) {
      if (this.#options.isCongested()) return;
      this.#delayed.delete(kind);
      this.#options.send(text);
    }
  }

  clear(): void {
    this.#delayed.clear();
  }
}
