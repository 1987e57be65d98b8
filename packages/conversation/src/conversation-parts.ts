/**
 * Creates the parts of a conversation, and connects them.
 *
 * @module
 */

import { Listeners } from "@vitrine/protocol";
import type { Clock } from "@vitrine/servers/support";
import { Apps } from "./apps.js";
import { ConversationCalls } from "./conversation-calls.js";
import { Journal, type JournalStart } from "./journal.js";
import type { ConversationLimits } from "./limits.js";
import type { LiveResults } from "./live-results.js";
import { endUnderWay } from "./lost-calls.js";
import { NoteWriter } from "./notes.js";
import type { ConversationPorts, RecalledCall } from "./ports.js";
import { Room } from "./room.js";
import { Saver } from "./saver.js";
import { TurnQueue } from "./turn-queue.js";
import { WrittenTitle } from "./written-title.js";

/** Options of a conversation. */
export interface ConversationOptions extends ConversationPorts {
  readonly user: string;
  readonly start: JournalStart;
  /** Whether it is in the store. */
  readonly isStored: boolean;
  /** Whether entries are acknowledged only when they are stored. */
  readonly isShared: boolean;
  /** The outcomes of calls that were running when the gateway ended, by entry. */
  readonly recalled?: ReadonlyMap<string, RecalledCall> | undefined;
  readonly limits: ConversationLimits;
  /** Shared by all conversations. */
  readonly live: LiveResults;
  readonly clock: Clock;
  readonly onerror: (error: unknown) => void;
  /** Called when it appears in the list, or its title changes. */
  onlisted(): void;
  /** Called when it no longer runs, or has no listeners left. */
  onidle(): void;
}

/** The parts of a conversation. */
export class ConversationParts {
  readonly journal: Journal;
  readonly saver: Saver;
  readonly notes: NoteWriter;
  readonly room: Room;
  readonly apps: Apps;
  /** Notified when apps are opened or closed, or change their tools. */
  readonly appListeners: Listeners;
  readonly calls: ConversationCalls;
  readonly turns: TurnQueue;
  readonly #isShared: boolean;
  readonly titles: WrittenTitle;

  constructor(options: ConversationOptions) {
    const { user, start, store, isStored, clock, limits, onerror, onlisted, onidle } = options;
    const { tools, apps, models, live } = options;
    this.#isShared = options.isShared;
    this.saver = new Saver({
      user,
      store,
      clock,
      isStored,
      onlisted,
      schemaOf: (item) => this.calls.schemaOf(item),
      onhealth: (problem) => this.room.health(problem),
    });
    const lost = endUnderWay(start.items ?? [], clock.now(), options.recalled);
    // Apps that were open when the gateway ended count as closed. The next turn sends their contexts to the
    // model again.
    const contexts = start.contexts?.map(({ before: _, isTold: __, ...each }) => ({
      ...each,
      isStale: true,
    }));
    this.journal = new Journal(
      { ...start, ...(contexts && { contexts }) },
      { now: () => clock.now(), keeper: this.saver, onerror },
    );
    this.saver.start(this.journal);
    this.notes = new NoteWriter(this.journal, clock);
    const { journal, saver, notes } = this;
    this.room = new Room({ journal, onerror, saved: () => saver.saved(), note: notes.add });
    for (const { id } of lost) saver.item(id);
    this.appListeners = new Listeners(onerror);
    this.apps = new Apps({
      journal,
      clock,
      limit: limits.contexts,
      onflood: (app) => notes.contextFlood(app),
      onchange: () => this.appListeners.notify(),
    });
    const onchange = (): void => journal.setRunning(this.turns.isRunning || this.calls.isRunning);
    const shared = { user, tools, clock, limits, onerror, journal, onchange };
    this.calls = new ConversationCalls({
      ...shared,
      apps,
      live,
      open: this.apps,
      save: (item) => {
        saver.item(item);
        return saver.saved();
      },
      ondropped: () => notes.resultsDropped(),
    });
    this.titles = new WrittenTitle({ journal, models, clock, onerror });
    this.turns = new TurnQueue({
      ...shared,
      models,
      calls: this.calls,
      apps: this.apps,
      note: notes.add,
      onturn: (model) => this.titles.answered(model),
      hasRoom: (isWritten) => this.room.hasMore(isWritten),
      ondone: () => void saver.saved().then(() => onidle()),
    });
  }

  /**
   * Resolves when listeners are notified of all changes, and the store contains them. If it cannot be written, a note says
   * so; a shared one is waited for, because somebody else may continue the conversation without them.
   *
   * @throws {GatewayError} `stopping` if the conversation ends before they are in a shared store
   */
  async stored(): Promise<void> {
    this.journal.notify();
    await (this.#isShared ? this.saver.kept() : this.saver.saved());
  }
}
