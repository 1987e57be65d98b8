/**
 * The open pages by user.
 *
 * @module
 */
import type { GatewayNotices } from "@vitrine/wire";
import type { PageSession } from "./page-session.js";

/** Holds pages from their first message until they end. */
export class OpenPages {
  readonly #pages = new Map<string, Set<PageSession>>();

  add(user: string, page: PageSession): void {
    const pages = this.#pages.get(user) ?? new Set();
    this.#pages.set(user, pages.add(page));
  }

  remove(user: string, page: PageSession): void {
    const pages = this.#pages.get(user);
    pages?.delete(page);
    if (pages?.size === 0) this.#pages.delete(user);
  }

  /** The pages of a user, the oldest first; without a user, all pages. */
  of(user?: string): PageSession[] {
    const sets = user === undefined ? [...this.#pages.values()] : [this.#pages.get(user) ?? []];
    return sets.flatMap((pages) => [...pages]);
  }

  /** The page in which a user is asked. A page that is being reloaded is asked when it is back. */
  newest(user: string): PageSession | undefined {
    const pages = this.of(user);
    return pages.findLast(({ isConnected }) => isConnected) ?? pages.at(-1);
  }

  /** Notifies all pages of a user, or of everybody. */
  notify<M extends keyof GatewayNotices>(
    user: string | undefined,
    method: M,
    params: GatewayNotices[M],
  ): void {
    for (const page of this.of(user)) page.notify(method, params);
  }
}
