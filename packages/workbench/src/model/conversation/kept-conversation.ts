/**
 * Which conversation a tab shows, over a reload.
 *
 * @module
 */

const KEY = "vitrine-conversation";
/** That there is something in it: one in which nothing was said need not be missed. */
const SAID = "vitrine-conversation-said";

/** Remembers one conversation in the storage of the tab. */
export class KeptConversation {
  readonly #storage: Storage | undefined;
  #last: string | undefined;

  constructor(storage: Storage | undefined) {
    this.#storage = storage;
  }

  /** Undefined where there is none, or something that is no name. */
  get id(): string | undefined {
    const id = this.#read(KEY);
    return id !== undefined && /^[\w.-]{1,100}$/.test(id) ? id : undefined;
  }

  get isSaid(): boolean {
    return this.#read(SAID) !== undefined;
  }

  set(id: string, isSaid: boolean): void {
    const all = `${id} ${isSaid}`;
    // It is called for every word of the model's.
    if (all === this.#last) return;
    this.#last = all;
    try {
      this.#storage?.setItem(KEY, id);
      if (isSaid) this.#storage?.setItem(SAID, "yes");
      else this.#storage?.removeItem(SAID);
    } catch {
      // A page that may not store anything shows a new conversation after a reload; this one is in the list.
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
 * A link may lead to a conversation: `#conversation=…`. The address forgets it, so that a reload shows what the person went on
 * to from there.
 */
export function keepFromAddress(storage: Storage | undefined): void {
  const [, id] = /^#conversation=([\w.-]{1,100})$/.exec(location.hash) ?? [];
  if (id === undefined) return;
  new KeptConversation(storage).set(id, false);
  history.replaceState(null, "", `${location.pathname}${location.search}`);
}
