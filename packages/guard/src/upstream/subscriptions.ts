import type { Upstream } from "./upstream.js";

/** Number of subscribed views per resource of a server. */
const wanted = new WeakMap<Upstream, Map<string, number>>();

/**
 * The resources that one view has subscribed to. A server knows one subscriber, the host: it gets one
 * subscription for all views, which ends with the last of them.
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
  isSubscribedTo(uri: unknown): boolean {
    return [...this.#own].some((own) => `${uri}/`.startsWith(own.replace(/\/?$/, "/")));
  }

  /** Always asks the server, which decides whether the view may subscribe. */
  async add(uri: string, signal?: AbortSignal): Promise<void> {
    // Counted first, so that another view's unsubscription does not end it for this one.
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
    // Removes unused counts: a view may name any number of resources.
    if (count) this.#counts.set(uri, count);
    else this.#counts.delete(uri);
    return count;
  }

  /** The view is gone. A disconnected server has dropped the subscription itself. */
  clear(): void {
    for (const uri of [...this.#own]) this.remove(uri).catch(() => {});
  }
}
