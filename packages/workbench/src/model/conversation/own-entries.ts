/**
 * Entries that only this page shows, after those of the gateway: recordings, and the page's own notes.
 *
 * @module
 */
import type { ModelItem, NoteItem, CallItem as ToldCall, UserItem } from "@vitrine/wire";
import type { AppModel } from "../app/app-model.js";
import { PageCall } from "../app/call-item.js";
import type { Item } from "./conversation-mirror.js";

/** The entries, in order. */
export class OwnEntries {
  #items: readonly Item[] = [];

  get items(): readonly Item[] {
    return this.#items;
  }

  /** Adds an app without a call, such as one of a recording. */
  addApp(app: AppModel): PageCall {
    const { server, tool, uri } = app.source;
    const item = ownCall({ server, tool: tool?.name ?? uri, input: {}, hasApp: false, state: "done" });
    item.app = app;
    this.#add(item);
    return item;
  }

  /** Adds the entries of a recorded run. Returns its calls, which have no apps yet. */
  addRun(items: readonly (UserItem | ModelItem | NoteItem | ToldCall)[]): PageCall[] {
    // Ids of this page, because a file may repeat those of the conversation.
    const own = items.map((item): Item => {
      const { id } = newEntry();
      return item.kind === "call" ? new PageCall({ ...item, id }) : { ...item, id };
    });
    this.#add(...own);
    return own.filter((item) => item.kind === "call");
  }

  addNote(note: Pick<NoteItem, "level" | "code" | "text">): void {
    this.#add({ kind: "note", ...newEntry(), ...note });
  }

  has(item: Item): boolean {
    return this.#items.includes(item);
  }

  remove(item: Item): void {
    this.#items = this.#items.filter((each) => each !== item);
  }

  clear(): void {
    this.#items = [];
  }

  #add(...items: readonly Item[]): void {
    this.#items = [...this.#items, ...items];
  }
}

/** A call that the gateway does not know. */
export function ownCall(
  call: Pick<ToldCall, "server" | "identity" | "tool" | "input" | "hasApp" | "state" | "page">,
): PageCall {
  return new PageCall({ kind: "call", ...newEntry(), by: "person", ...call });
}

const newEntry = () => ({
  id: crypto.getRandomValues(new Uint32Array(2)).join("-"),
  at: Date.now(),
});
