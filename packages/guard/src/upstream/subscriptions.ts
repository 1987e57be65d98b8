import type { Upstream } from "./upstream.js";

/** How many views of one server want to hear of each resource. */
const wanted = new WeakMap<Upstream, Map<string, number>>();

/**
 * The resources that one view has subscribed to. A server knows one subscriber, the host: it is asked once for all
 * views that want a resource, and told to stop when the last of them does (D4).
 */
export class Subscriptions {
  readonly #upstream: Upstream;
  readonly #counts: Map<string, number>;
  readonly #own = new Set<string>();

  constructor(upstream: Upstream) {
    this.#upstream = upstream;
    this.#counts = wanted.get(upstream) ?? new Map();
    wanted.set(upstream, this.#counts);
  }

  /**
   * Whether the view receives updates of this resource. A server may name a sub-resource of what was subscribed to:
   * `test://a/b` for `test://a`, but not `test://abc`.
   */
  hears(uri: unknown): boolean {
    return [...this.#own].some((own) => `${uri}/`.startsWith(own.replace(/\/?$/, "/")));
  }

  /** Always asks the server: whether the view may is the server's to say. */
  async add(uri: string, signal?: AbortSignal): Promise<void> {
    // Counted before, so that another view that stops meanwhile does not stop it for this one.
    const isNew = !this.#own.has(uri);
    if (isNew) this.#count(uri, 1);
    this.#own.add(uri);
    try {
      await this.#upstream.request("resources/subscribe", { uri }, { signal });
    } catch (error) {
      if (isNew && this.#own.delete(uri)) this.#count(uri, -1);
      throw error;
    }
  }

  async remove(uri: string): Promise<void> {
    if (this.#own.delete(uri) && this.#count(uri, -1) === 0)
      await this.#upstream.request("resources/unsubscribe", { uri });
  }

  #count(uri: string, more: number): number {
    const count = (this.#counts.get(uri) ?? 0) + more;
    // Nothing is kept of what nobody wants: a view may name as many as it likes.
    if (count) this.#counts.set(uri, count);
    else this.#counts.delete(uri);
    return count;
  }

  /** The view is gone. A server that cannot be told any more has forgotten by itself. */
  clear(): void {
    for (const uri of [...this.#own]) this.remove(uri).catch(() => {});
  }
}
