/** Stores a page's session across reloads: `sessionStorage`, or something like it. */
export type SessionStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** The data that a page needs to resume its session. */
export interface SavedSession {
  session: string;
  key: string;
}

/** A page's session, stored across reloads. Without storage, a reload starts a new one. */
export class SessionKeeper {
  readonly #storage: SessionStorage | undefined;
  readonly #name: string;
  #saved: SavedSession | undefined;

  constructor(storage: SessionStorage | undefined, url: URL) {
    this.#name = `vitrine-gateway ${url}`;
    try {
      // Accessing it throws in a browser that blocks it.
      this.#storage = storage ?? globalThis.sessionStorage;
      const { session, key } = Object(JSON.parse(this.#storage?.getItem(this.#name) ?? "null"));
      if (typeof session === "string" && typeof key === "string") this.#saved = { session, key };
    } catch {}
  }

  get saved(): SavedSession | undefined {
    return this.#saved;
  }

  set saved(saved: SavedSession | undefined) {
    this.#saved = saved;
    try {
      if (saved) this.#storage?.setItem(this.#name, JSON.stringify(saved));
      else this.#storage?.removeItem(this.#name);
    } catch {}
  }
}
