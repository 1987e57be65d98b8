/**
 * Notifications to a page that may read slowly.
 *
 * @module
 */
import type { Progress, RequestId } from "@vitrine/protocol";
import { notificationMessage } from "./rpc.js";

/** What says where they go. */
export interface PacedNoticesOptions {
  send(text: string): void;
  /** Whether the page reads so slowly that what can wait should. */
  isCongested(): boolean;
}

/** Sends notifications; while the page is slow, only the last one of each kind is kept for later. */
export class PacedNotices {
  readonly #options: PacedNoticesOptions;
  /** Each is said once, however often it came. */
  readonly #delayed = new Map<string, string>();

  constructor(options: PacedNoticesOptions) {
    this.#options = options;
  }

  tell(kind: string, text: string): void {
    if (this.#options.isCongested()) this.#delayed.set(kind, text);
    else {
      // An older one must not come after it.
      this.#delayed.delete(kind);
      this.#options.send(text);
    }
  }

  /** How far a request has come, for the one who asked under this token. */
  progress(token: RequestId, progress: Progress): void {
    const text = notificationMessage("notifications/progress", { ...progress, progressToken: token });
    this.tell(`progress ${token}`, text);
  }

  /** The request is over: nobody wants to know how far it had come. */
  endProgress(token: RequestId | undefined): void {
    this.#delayed.delete(`progress ${token}`);
  }

  /** The page reads again. */
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
