/**
 * Cached lists of a server, until it sends a change notification.
 *
 * @module
 */
import { JsonText, METHOD_NOT_FOUND } from "@vitrine/protocol";
import type { Upstream, UpstreamNotification } from "../upstream/upstream.js";

/** Maximum pages. Entries beyond are unknown, and unknown ones are refused. */
const MAX_PAGES = 100;
const MAX_ENTRIES = 10_000;
/** Maximum consecutive lists that a server may invalidate by a change notification. */
const MAX_TRIES = 3;

/** The object of a result, parsed if it is text; empty if it is not an object. */
export function resultObject(result: unknown): Record<string, unknown> {
  const value = result instanceof JsonText ? result.parse() : result;
  return Object(value) === value ? (value as Record<string, unknown>) : {};
}

/** The array under a key, or an empty one. */
export const arrayAt = (value: Record<string, unknown>, key: string): unknown[] => {
  const list = value[key];
  return Array.isArray(list) ? list : [];
};

/** Every entry of every page, unchanged. A server without the method has none. */
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

/** A list that is requested once for all callers, again after a change, and never twice at a time. */
export class Listing<T> {
  /** Stops listening to the server. */
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

  /** The server's list. A failure is not cached: the next caller tries again. */
  get(): Promise<T> {
    return (this.#current ??= this.#list());
  }

  /** Invalidates the list; a pending request restarts at its end. */
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
        // Older than the last change: it may still contain a removed tool.
        fresh = version === this.#version;
        if (fresh || tries >= MAX_TRIES) return value;
      }
    } finally {
      this.#busy = false;
      if (!fresh) this.#current = undefined;
    }
  }
}
