/**
 * Requests that a user has saved, and what a server offered when the user last looked: stored in this browser.
 *
 * @module
 */
import { recordOf } from "@vitrine/protocol";
import type { CatalogueLists } from "./catalogue-diff.js";
import type { MadeRequest } from "./request-log.js";

/** A saved request. */
export type SavedRequest = Pick<MadeRequest, "kind" | "name" | "input"> & { readonly title: string };

/** Stores texts by name, such as `localStorage`. */
export type TextStore = Pick<Storage, "getItem" | "setItem" | "removeItem">;

const MOST_SAVED = 100;
/** Characters of a catalogue that is kept. */
const MOST_KEPT = 500_000;

/** Everything that this browser keeps about one server, by the server's key. */
export class KeptAboutServer {
  readonly #store: TextStore;
  readonly #server: string;

  constructor(store: TextStore, server: string) {
    this.#store = store;
    this.#server = server;
  }

  get saved(): SavedRequest[] {
    const saved = this.#read("requests");
    return Array.isArray(saved) ? saved.filter(isSaved).slice(0, MOST_SAVED) : [];
  }

  /** Saves a request; one of the same title is replaced. */
  save(request: SavedRequest): SavedRequest[] {
    const others = this.saved.filter(({ title }) => title !== request.title);
    return this.#write("requests", [request, ...others].slice(0, MOST_SAVED));
  }

  forget(title: string): SavedRequest[] {
    return this.#write(
      "requests",
      this.saved.filter((each) => each.title !== title),
    );
  }

  /** The lists of the server when the user last marked it as seen, and when that was. */
  get seen(): { readonly at: number; readonly lists: CatalogueLists } | undefined {
    const { at, lists } = recordOf(this.#read("seen"));
    const { tools, resources, templates, prompts } = recordOf(lists);
    const areLists = [tools, resources, templates, prompts].every(Array.isArray);
    return typeof at === "number" && areLists ? { at, lists: lists as CatalogueLists } : undefined;
  }

  see(lists: CatalogueLists, at: number): void {
    this.#write("seen", { at, lists });
  }

  #read(what: string): unknown {
    try {
      return JSON.parse(this.#store.getItem(this.#key(what)) ?? "null");
    } catch {
      // Without storage, or with a damaged entry, there is nothing.
      return undefined;
    }
  }

  #write<T>(what: string, value: T): T {
    try {
      const text = JSON.stringify(value);
      if (text.length <= MOST_KEPT) this.#store.setItem(this.#key(what), text);
      else this.#store.removeItem(this.#key(what));
    } catch {
      // A browser without storage keeps it for this page only.
    }
    return value;
  }

  #key(what: string): string {
    return `vitrine-server-${what} ${this.#server}`;
  }
}

function isSaved(value: unknown): value is SavedRequest {
  const { kind, name, input, title } = recordOf(value);
  return (
    typeof kind === "string" &&
    /^(tools\/call|prompts\/get|resources\/read)$/.test(kind) &&
    typeof name === "string" &&
    typeof title === "string" &&
    typeof input === "object" &&
    input !== null
  );
}
