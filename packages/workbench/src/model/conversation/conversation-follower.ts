/**
 * Opens conversations at the gateway one at a time, and receives the changes of the current one.
 *
 * @module
 */
import type { GatewayClient } from "@vitrine/host/gateway";
import { recordOf, VitrineError } from "@vitrine/protocol";
import type { ConversationNotices, ConversationState } from "@vitrine/wire";
import { messageOf } from "../messages/messages.js";
import { ConversationMirror, type MirrorHome } from "./conversation-mirror.js";
import type { RememberedConversation } from "./kept-conversation.js";

/** Options of {@link ConversationFollower}. */
export interface FollowerOptions extends MirrorHome {
  readonly gateway: GatewayClient;
  readonly kept: RememberedConversation;
  /** Called before another one is shown; resolves when this one is closed. */
  leave(mirror: ConversationMirror): Promise<void>;
  /**
   * Called with the complete conversation.
   *
   * @param isMissed whether it replaces one that the user may look for
   */
  shown(isMissed: boolean): void;
  /** Called on every change. */
  onchange(): void;
}

type Notice = ConversationNotices["conversation/changed"];

/** Message for a deleted conversation. */
export const UNKNOWN =
  "This conversation is gone: it was deleted, or another gateway answers now. Open another one, or start a new one.";

/** Follows one conversation at a time. */
export class ConversationFollower {
  readonly #options: FollowerOptions;
  /** The current conversation. */
  mirror: ConversationMirror | undefined;
  /** Why none could be opened. */
  problem: string | undefined;
  /** Changes that arrive while a conversation is being opened: they may belong to it. */
  #early: Notice[] | undefined;
  #turn: Promise<void> = Promise.resolve();
  #isAskingAgain = false;

  constructor(options: FollowerOptions) {
    this.#options = options;
    options.gateway.on("conversation/changed", (notice) => this.#hear(notice));
  }

  /** Opens a conversation, or a new one; `isNeeded` is checked when its turn comes. */
  open(id: string | undefined, isNeeded: () => boolean): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.mirror || isNeeded())
        await this.#show(await this.#options.gateway.request("conversation/open", { id }));
    });
  }

  /** Restores the tab's conversation, when `ready` resolves. */
  restore(ready: Promise<void>): Promise<void> {
    const { id, isSaid } = this.#options.kept;
    return this.#inTurn(async () => {
      const { state, isGone } = await this.#openOrBegin(id);
      await ready;
      await this.#show(state, isGone && isSaid);
    });
  }

  /** Requests the whole conversation again. */
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

  /** Reads a whole conversation without showing it. */
  async read(id: string): Promise<ConversationState> {
    const { gateway } = this.#options;
    let read: () => ConversationState = () => {
      throw new VitrineError("closed", "the conversation was not read");
    };
    // Queued, because the gateway sends changes of the last opened conversation: the current one must stay
    // subscribed.
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

  /** The id of the current conversation. @throws {VitrineError} if none can be opened */
  async ready(): Promise<string> {
    await this.#turn;
    // A failed open may succeed now.
    if (!this.mirror) await this.open(undefined, () => false);
    if (!this.mirror) throw new VitrineError("closed", this.problem ?? "no conversation is open");
    return this.mirror.id;
  }

  /** Opens this conversation, or a new one if it does not exist. */
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
      // If this fails, the gateway sends changes that are ignored.
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

/** Whether the gateway refuses a request because the conversation does not exist. */
export const isUnknown = (error: unknown): boolean => {
  const { data } = recordOf(error);
  return recordOf(data).code === "conversation-unknown";
};
