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

  /** Whether the view hears of this resource. A server may name a part of what was subscribed to. */
  hears(uri: unknown): boolean {
    return typeof uri === "string" && [...this.#own].some((own) => uri.startsWith(own));
  }

  /** Always asks the server: whether the view may is the server's to say. */
  async add(uri: string, signal?: AbortSignal): Promise<void> {
    await this.#upstream.request("resources/subscribe", { uri }, { signal });
    if (!this.#own.has(uri)) this.#counts.set(uri, (this.#counts.get(uri) ?? 0) + 1);
    this.#own.add(uri);
  }

  async remove(uri: string): Promise<void> {
    if (!this.#own.delete(uri)) return;
    const rest = (this.#counts.get(uri) ?? 1) - 1;
    if (rest > 0) this.#counts.set(uri, rest);
    else {
      this.#counts.delete(uri);
      await this.#upstream.request("resources/unsubscribe", { uri });
    }
  }

  /** The view is gone. A server that cannot be told any more has forgotten by itself. */
  clear(): void {
    for (const uri of [...this.#own]) this.remove(uri).catch(() => {});
  }
}
