/**
 * Lists of a server, kept until the server says that they changed.
 *
 * @module
 */
import { JsonText, METHOD_NOT_FOUND } from "@vitrine/protocol";
import type { Upstream, UpstreamNotification } from "../upstream/upstream.js";

/** A server may have more than this; what is beyond is unknown, and what is unknown is refused. */
const MAX_PAGES = 100;
const MAX_ENTRIES = 10_000;
/** Listings in a row that a server may spoil by saying "changed" in the middle. */
const MAX_TRIES = 3;

/** The object that a result is, parsed if it is text; an empty one for what is no object. */
export function resultObject(result: unknown): Record<string, unknown> {
  const value = result instanceof JsonText ? result.parse() : result;
  return Object(value) === value ? (value as Record<string, unknown>) : {};
}

/** The array under a key, or an empty one. */
export const arrayAt = (value: Record<string, unknown>, key: string): unknown[] => {
  const list = value[key];
  return Array.isArray(list) ? list : [];
};

/** Every entry of every page, as it came. A server that does not know the method has none. */
export async function listAll(
  upstream: Upstream,
  method: "tools/list" | "resources/list" | "resources/templates/list",
  key: string,
): Promise<unknown[]> {
  const entries: unknown[] = [];
  let params: { cursor?: string } = {};
  for (let page = 0; page < MAX_PAGES; page++) {
    let result: Record<string, unknown>;
    try {
      result = resultObject(await upstream.request(method, params));
    } catch (error) {
      if (resultObject(error)["code"] === METHOD_NOT_FOUND) break;
      throw error;
    }
    for (const entry of arrayAt(result, key)) if (entries.length < MAX_ENTRIES) entries.push(entry);
    const cursor = result["nextCursor"];
    if (typeof cursor !== "string" || entries.length >= MAX_ENTRIES) break;
    params = { cursor };
  }
  return entries;
}

/** Something that is listed once for all who ask, again when the server says so, and never twice at a time. */
export class Listing<T> {
  /** Stops hearing the server. */
  readonly close: () => void;
  readonly #load: () => Promise<T>;
  #current: Promise<T> | undefined;
  #version = 0;

  constructor(upstream: Upstream, changed: UpstreamNotification, load: () => Promise<T>) {
    this.#load = load;
    this.close = upstream.listen((method) => {
      if (method === changed) this.drop();
    });
  }

  /** What the server lists. A failure is not kept: the next one to ask tries again. */
  get(): Promise<T> {
    return (this.#current ??= this.#list());
  }

  /** Forgets the list; a listing that is under way goes on, and starts anew at its end. */
  drop(): void {
    this.#version++;
    if (!this.#busy) this.#current = undefined;
  }

  #busy = false;

  async #list(): Promise<T> {
    this.#busy = true;
    let fresh = false;
    try {
      for (let tries = 1; ; tries++) {
        const version = this.#version;
        const value = await this.#load();
        // Older than the last "changed": it may still show a tool that is gone (C03).
        fresh = version === this.#version;
        if (fresh || tries >= MAX_TRIES) return value;
      }
    } finally {
      this.#busy = false;
      if (!fresh) this.#current = undefined;
    }
  }
}
