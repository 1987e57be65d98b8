/**
 * Checks how much more a conversation can store, and reports when it is full.
 *
 * @module
 */

import { messageOf } from "@vitrine/servers/support";
import { ConversationError, type NoteItem } from "@vitrine/wire";
import type { Journal } from "./journal.js";
import { conversationFull, notSaved } from "./notes.js";

/** Options of {@link Room}. */
export interface RoomOptions {
  readonly journal: Journal;
  /** Writes all changes. Resolves when they are stored, or cannot be. */
  saved(): Promise<boolean>;
  note(level: NoteItem["level"], code: string, text: string): NoteItem;
  readonly onerror: (error: unknown) => void;
}

/** Maximum number of entries. The store accepts a few more, for a turn that has already started. */
const MAX_ITEMS = 9_000;

/** Knows whether a conversation is full, by the number of its entries and by the store's answer. */
export class Room {
  readonly #options: RoomOptions;
  /** Set while no more can be stored, until entries are removed. */
  #refused: ConversationError | undefined;
  #unsaved: NoteItem | undefined;
  #isFullReported = false;

  constructor(options: RoomOptions) {
    this.#options = options;
  }

  /** @throws {ConversationError} `conversation-too-large` if the conversation is full */
  check(): void {
    const full = this.#full();
    if (full) throw full;
  }

  /**
   * Whether the model may continue; adds a note if it may not.
   *
   * @param isWritten whether to write all changes first: only the store knows how much it accepts
   */
  async hasMore(isWritten: boolean): Promise<boolean> {
    const { saved, note } = this.#options;
    if (isWritten) await saved();
    const full = this.#full();
    // Only one note for all queued messages.
    if (full && !this.#isFullReported) note("warning", full.data.code, conversationFull(full.message));
    this.#isFullReported = full !== undefined;
    return !full;
  }

  /** Adds a note when storing fails, and removes it when storing works again. */
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
    const message = "the conversation has reached the maximum number of entries: start a new one";
    return new ConversationError("conversation-too-large", message, "items");
  }
}
