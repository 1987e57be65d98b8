/**
 * Remembers which conversation a tab shows, across reloads.
 *
 * @module
 */

const KEY = "vitrine-conversation";
/** Whether it has entries: an empty conversation is not missed. */
const SAID = "vitrine-conversation-said";

/** Stores one conversation id in the tab's storage. */
export class RememberedConversation {
  readonly #storage: Storage | undefined;
  #last: string | undefined;

  constructor(storage: Storage | undefined) {
    this.#storage = storage;
  }

  /** Undefined if there is none, or an invalid one. */
  get id(): string | undefined {
    const id = this.#read(KEY);
    return id !== undefined && /^[\w.-]{1,100}$/.test(id) ? id : undefined;
  }

  get isSaid(): boolean {
    return this.#read(SAID) !== undefined;
  }

  set(id: string, isSaid: boolean): void {
    const all = `${id} ${isSaid}`;
    // Called for every chunk of the model's text, so unchanged values are skipped.
    if (all === this.#last) return;
    this.#last = all;
    try {
      this.#storage?.setItem(KEY, id);
      if (isSaid) this.#storage?.setItem(SAID, "yes");
      else this.#storage?.removeItem(SAID);
    } catch {
      // Without storage, a reload shows a new conversation; this one stays in the list.
    }
  }

  #read(key: string): string | undefined {
    try {
      return this.#storage?.getItem(key) ?? undefined;
    } catch {
      return undefined;
    }
  }
}

/**
 * Handles a link to a conversation: `#conversation=…`. The fragment is removed, so that a reload shows the
 * conversation that the user moved to since.
 */
export function keepFromAddress(storage: Storage | undefined): void {
  const [, id] = /^#conversation=([\w.-]{1,100})$/.exec(location.hash) ?? [];
  if (id === undefined) return;
  new RememberedConversation(storage).set(id, false);
  history.replaceState(null, "", `${location.pathname}${location.search}`);
}
