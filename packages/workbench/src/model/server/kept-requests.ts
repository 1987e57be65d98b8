/**
 * Requests that a user has saved or pinned, and what a server offered when the user last looked: stored in this
 * browser.
 *
 * @module
 */
import { recordOf } from "@vitrine/protocol";
import type { CatalogueLists } from "./catalogue-diff.js";
import type { MadeRequest, PinnedRequest } from "./request-log.js";

/** A saved request. */
export type SavedRequest = Pick<MadeRequest, "kind" | "name" | "input"> & { readonly title: string };

/** Stores texts by name, such as `localStorage`. */
export type TextStore = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** Saved requests, and pinned ones. */
const MOST_SAVED = 100;
/** Characters of an entry. */
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

  /** The pinned requests, the oldest first. */
  get pinned(): PinnedRequest[] {
    const pinned = this.#read("pins");
    return Array.isArray(pinned) ? pinned.filter(isPinned).slice(-MOST_SAVED) : [];
  }

  /** Stores a request without its answer. A request that is too large to store is left out. */
  pin({ kind, name, input, at }: PinnedRequest): void {
    const request = { kind, name, input, at };
    const pins = [...this.pinned.filter((each) => !isSame(each, request)), request];
    pins.sort((one, other) => one.at - other.at);
    if (JSON.stringify(pins).length <= MOST_KEPT) this.#write("pins", pins);
  }

  unpin(request: PinnedRequest): void {
    this.#write(
      "pins",
      this.pinned.filter((each) => !isSame(each, request)),
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

function isRequest(value: unknown): value is Pick<MadeRequest, "kind" | "name" | "input"> {
  const { kind, name, input } = recordOf(value);
  return (
    typeof kind === "string" &&
    /^(tools\/call|prompts\/get|resources\/read|any)$/.test(kind) &&
    typeof name === "string" &&
    typeof input === "object" &&
    input !== null
  );
}

const isSaved = (value: unknown): value is SavedRequest =>
  isRequest(value) && typeof recordOf(value)["title"] === "string";

const isPinned = (value: unknown): value is PinnedRequest =>
  isRequest(value) && Number.isFinite(recordOf(value)["at"]);

const isSame = (one: PinnedRequest, other: PinnedRequest): boolean =>
  one.at === other.at &&
  one.kind === other.kind &&
  one.name === other.name &&
  JSON.stringify(one.input) === JSON.stringify(other.input);
