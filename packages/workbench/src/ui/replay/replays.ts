/**
 * The recordings that this page plays.
 *
 * @module
 */
import type { AppModel } from "../../model/app/app-model.js";
import type { PageCall } from "../../model/conversation/conversation.js";
import { Observable } from "../../model/observable.js";
import { readRecording } from "../../model/recording/recording.js";
import { Replay } from "../../model/recording/replay.js";
import type { Workbench } from "../../model/workbench.js";

const known = new WeakMap<Workbench, Replays>();

/** The page's recordings, shared by all components. */
export function replaysOf(workbench: Workbench): Replays {
  const replays = known.get(workbench) ?? new Replays(workbench);
  known.set(workbench, replays);
  return replays;
}

/** Opens recordings, and adds their apps to the conversation. */
export class Replays extends Observable {
  readonly #workbench: Workbench;
  readonly #open = new Map<PageCall, Replay>();

  constructor(workbench: Workbench) {
    super();
    this.#workbench = workbench;
    workbench.conversation.subscribe(() => this.#forget());
  }

  /** The replay of this app. */
  of(app: AppModel | undefined): Replay | undefined {
    return [...this.#open.values()].find((replay) => replay.app === app);
  }

  /** Opens a recording and plays it as fast as possible, to show its end state first. */
  async open(text: string): Promise<Replay> {
    const { gateway, profiles, conversation } = this.#workbench;
    const replay = await Replay.open(gateway, readRecording(text), { profiles });
    const item = conversation.show(replay.app);
    this.#open.set(item, replay);
    replay.onapp = (app) => {
      item.update({ app });
      this.changed();
    };
    this.changed();
    void replay.play("max");
    return replay;
  }

  /** Drops replays that were removed from the conversation. */
  #forget(): void {
    const { items } = this.#workbench.conversation;
    for (const [item, replay] of this.#open) {
      if (items.includes(item)) continue;
      this.#open.delete(item);
      replay.pause();
      this.changed();
    }
  }
}
