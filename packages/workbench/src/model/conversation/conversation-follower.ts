/**
 * Opens conversations at the gateway, one after the other, and hears what becomes of the one that is shown.
 *
 * @module
 */
import type { Gateway } from "@vitrine/host/gateway";
import { VitrineError } from "@vitrine/protocol";
import type { ConversationNotices, ConversationState } from "@vitrine/wire";
import { messageOf } from "../messages/messages.js";
import { ConversationMirror, type MirrorHome } from "./conversation-mirror.js";
import type { KeptConversation } from "./kept-conversation.js";

/** What a {@link ConversationFollower} stands on. */
export interface FollowerOptions extends MirrorHome {
  readonly gateway: Gateway;
  readonly kept: KeptConversation;
  /** Another one is to be shown; resolves when nothing of this one is. */
  leave(mirror: ConversationMirror): Promise<void>;
  /**
   * The gateway has said all of it.
   *
   * @param isMissed it comes in place of one that the person may look for
   */
  shown(isMissed: boolean): void;
  /** It is not what it was. */
  onchange(): void;
}

type Notice = ConversationNotices["conversation/changed"];

/** What is said of a conversation that is not there any more. */
export const UNKNOWN =
  "This conversation is gone: it was deleted, or another gateway answers now. Open another one, or begin a new one.";

/** Follows one conversation at a time. */
export class ConversationFollower {
  readonly #options: FollowerOptions;
  /** The one that is shown. */
  mirror: ConversationMirror | undefined;
  /** Why none could be opened. */
  problem: string | undefined;
  /** What comes while one is being opened: it may be about that one. */
  #early: Notice[] | undefined;
  #turn: Promise<void> = Promise.resolve();
  #isAskingAgain = false;

  constructor(options: FollowerOptions) {
    this.#options = options;
    options.gateway.on("conversation/changed", (notice) => this.#hear(notice));
  }

  /** Shows one, or a new one; `isNeeded` is asked when its turn has come. */
  open(id: string | undefined, isNeeded: () => boolean): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.mirror || isNeeded())
        await this.#show(await this.#options.gateway.request("conversation/open", { id }));
    });
  }

  /** Shows the one that the tab had, when all is `ready` for it. */
  restore(ready: Promise<void>): Promise<void> {
    const { id, isSaid } = this.#options.kept;
    return this.#inTurn(async () => {
      const { state, isGone } = await this.#openOrBegin(id);
      await ready;
      await this.#show(state, isGone && isSaid);
    });
  }

  /** Asks for all of it again. */
  async reopen(): Promise<void> {
    if (this.#isAskingAgain) return;
    this.#isAskingAgain = true;
    await this.#inTurn(async () => {
      this.#isAskingAgain = false;
      const { mirror } = this;
      const { kept } = this.#options;
      const isSaid = mirror ? mirror.items.length > 0 : kept.isSaid;
      const { state, isGone } = await this.#openOrBegin(mirror?.id ?? kept.id);
      await this.#show(state, isGone && isSaid);
    });
  }

  /** All of one, without showing it. */
  async read(id: string): Promise<ConversationState> {
    const { gateway } = this.#options;
    let read: () => ConversationState = () => {
      throw new VitrineError("closed", "the conversation was not read");
    };
    // In turn, as the gateway tells a page of what it has opened last: one that is shown must not be left.
    await this.#inTurn(async () => {
      try {
        const state = await gateway.request("conversation/open", { id });
        read = () => state;
        if (id === this.mirror?.id) this.mirror.take(state);
        else gateway.request("conversation/leave", { id }).catch(() => {});
      } catch (error) {
        read = () => {
          throw error;
        };
      }
    });
    return read();
  }

  /** The name of the one that is shown, when it is. @throws {VitrineError} if none can be */
  async ready(): Promise<string> {
    await this.#turn;
    // It could not be opened before, and may be now.
    if (!this.mirror) await this.open(undefined, () => false);
    if (!this.mirror) throw new VitrineError("closed", this.problem ?? "no conversation is open");
    return this.mirror.id;
  }

  /** The one of this name, or a new one if it is gone. */
  async #openOrBegin(id: string | undefined): Promise<{ state: ConversationState; isGone: boolean }> {
    const { gateway } = this.#options;
    try {
      return { state: await gateway.request("conversation/open", { id }), isGone: false };
    } catch (error) {
      if (id === undefined || !isUnknown(error)) throw error;
      return { state: await gateway.request("conversation/open", {}), isGone: true };
    }
  }

  async #show(state: ConversationState, isMissed = false): Promise<void> {
    const before = this.mirror;
    const { gateway, leave, shown } = this.#options;
    if (before && before.id !== state.id) {
      await leave(before);
      this.mirror = undefined;
      // If the gateway does not hear it, it tells of one that nobody looks at.
      gateway.request("conversation/leave", { id: before.id }).catch(() => {});
    }
    this.mirror ??= new ConversationMirror(state.id, this.#options);
    this.mirror.take(state);
    this.problem = undefined;
    shown(isMissed);
  }

  async #inTurn(open: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(async () => {
      const early: Notice[] = [];
      this.#early = early;
      try {
        await open();
      } catch (error) {
        this.problem = isUnknown(error) ? UNKNOWN : messageOf(error);
      }
      this.#early = undefined;
      for (const notice of early) this.#hear(notice);
      this.#changed();
    });
    await this.#turn;
  }

  #hear(notice: Notice): void {
    if (this.#early) this.#early.push(notice);
    else if (notice.id !== this.mirror?.id) return;
    else if (this.mirror.hear(notice)) this.#changed();
    else void this.reopen();
  }

  #changed(): void {
    const { kept, onchange } = this.#options;
    if (this.mirror) kept.set(this.mirror.id, this.mirror.items.length > 0);
    onchange();
  }
}

/** Whether the gateway refuses something because it has no such conversation. */
export const isUnknown = (error: unknown): boolean => {
  const { data } = Object(error) as { data?: unknown };
  return (Object(data) as { code?: unknown }).code === "conversation-unknown";
};
