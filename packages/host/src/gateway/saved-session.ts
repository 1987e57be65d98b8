/** Where a page keeps the name of its session, for when it is reloaded: `sessionStorage`, or something like it. */
export type SessionStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** What a page needs to go on with its session. */
export interface SavedSession {
  session: string;
  key: string;
}

/** A page's session, kept over reloads. A page that may not store anything has a new one then, and nothing worse. */
export class SessionKeeper {
  readonly #storage: SessionStorage | undefined;
  readonly #name: string;
  #saved: SavedSession | undefined;

  constructor(storage: SessionStorage | undefined, url: URL) {
    this.#name = `vitrine-gateway ${url}`;
    try {
      // Only to look at it throws where a browser blocks it.
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
