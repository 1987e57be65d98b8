/**
 * The recordings that this page plays.
 *
 * @module
 */
import type { NoteItem } from "@vitrine/wire";
import type { AppModel } from "../../model/app/app-model.js";
import type { PageCall } from "../../model/conversation/conversation.js";
import { Observable } from "../../model/observable.js";
import { type Recording, readRecording } from "../../model/recording/recording.js";
import { Replay } from "../../model/recording/replay.js";
import { isRun, type Run, readRun } from "../../model/recording/run-recording.js";
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

  /** Opens a recording of an app, or of a run with its apps. */
  async open(text: string): Promise<void> {
    if (isRun(text)) await this.#openRun(readRun(text));
    else await this.#play(readRecording(text), (app) => this.#workbench.conversation.show(app));
  }

  /** Shows a run in a new conversation, so that nobody takes it for one that was held here. */
  async #openRun({ header, items, apps }: Run): Promise<void> {
    const { conversation } = this.#workbench;
    await conversation.open();
    const calls = conversation.showRun([noteOf(header), ...items]);
    const told = items.filter((item) => item.kind === "call");
    for (const [at, { id }] of told.entries()) {
      const [call, recording] = [calls[at], apps.get(id)];
      if (!call || !recording) continue;
      await this.#play(recording, (app) => {
        call.update({ app });
        return call;
      });
    }
  }

  /** Plays a recording as fast as possible, to show its end state first. */
  async #play(recording: Recording, show: (app: AppModel) => PageCall): Promise<void> {
    await this.#workbench.loadProfiles();
    const { gateway, profiles } = this.#workbench;
    const replay = await Replay.open(gateway, recording, { profiles });
    const item = show(replay.app);
    this.#open.set(item, replay);
    replay.onapp = (app) => {
      item.update({ app });
      this.changed();
    };
    this.changed();
    void replay.play("max");
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

const OUTCOMES = {
  passed: "it was as expected",
  failed: "it was not as expected",
  error: "it could not be judged",
} as const;

/** Says what the entries below it are. */
function noteOf({ at, title, model, run, outcome, reasons }: Run["header"]): NoteItem {
  const why = reasons.length === 0 ? "." : `: ${reasons.join("; ")}`;
  return {
    kind: "note",
    id: "run",
    at: Date.parse(at) || 0,
    level: outcome === "passed" ? "info" : "warning",
    code: "recorded-run",
    text: `Recording of “${title}”, run ${run} with ${model}: ${OUTCOMES[outcome]}${why}`,
  };
}
