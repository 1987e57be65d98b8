/**
 * How much more a conversation can take, and what is said when it is no more.
 *
 * @module
 */

import { messageOf } from "@vitrine/servers/support";
import { ConversationError, type NoteItem } from "@vitrine/wire";
import type { Journal } from "./journal.js";
import { conversationFull, notSaved } from "./notes.js";

/** What {@link Room} stands on. */
export interface RoomOptions {
  readonly journal: Journal;
  /** Writes what there is; resolves when it is in the store, or cannot be. */
  saved(): Promise<boolean>;
  note(level: NoteItem["level"], code: string, text: string): NoteItem;
  readonly onerror: (error: unknown) => void;
}

/** Entries: the store takes a few more, for what a turn that was begun still adds. */
const MAX_ITEMS = 9_000;

/** Knows whether a conversation is full: by the number of its entries, and by what the store says of its size. */
export class Room {
  readonly #options: RoomOptions;
  /** More of it cannot be kept, until entries are removed. */
  #refused: ConversationError | undefined;
  #unsaved: NoteItem | undefined;
  #isFullTold = false;

  constructor(options: RoomOptions) {
    this.#options = options;
  }

  /** @throws {ConversationError} `conversation-too-large` when nothing more can be taken */
  check(): void {
    const full = this.#full();
    if (full) throw full;
  }

  /**
   * Whether the model may say more; that it may not is told.
   *
   * @param isWritten after what there is was written: only the store knows how much can be kept
   */
  async hasMore(isWritten: boolean): Promise<boolean> {
    const { saved, note } = this.#options;
    if (isWritten) await saved();
    const full = this.#full();
    // Once: it is the same for all that waits.
    if (full && !this.#isFullTold) note("warning", full.data.code, conversationFull(full.message));
    this.#isFullTold = full !== undefined;
    return !full;
  }

  /** It can be kept again, or no more: said once. */
  health(problem: unknown): void {
    const { journal, note, onerror } = this.#options;
    this.#refused = problem instanceof ConversationError ? problem : undefined;
    if (problem === undefined) {
      if (this.#unsaved) journal.remove(this.#unsaved.id);
      this.#unsaved = undefined;
    } else if (!this.#unsaved) {
      onerror(problem);
      this.#unsaved = note("error", "conversation-not-kept", notSaved(messageOf(problem)));
    }
  }

  #full(): ConversationError | undefined {
    if (this.#refused || this.#options.journal.size < MAX_ITEMS) return this.#refused;
    const message = "the conversation has as many entries as can be kept: begin a new one";
    return new ConversationError("conversation-too-large", message, "items");
  }
}
