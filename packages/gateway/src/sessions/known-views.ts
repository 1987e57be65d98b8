/**
 * The registry of all views and their owners.
 *
 * @module
 */
import type { ServerIdentity } from "@vitrine/servers";
import type { KnownView } from "../guard/guarded-call.js";
import type { ServerKey } from "../store/known-servers.js";
import type { PageSession } from "./page-session.js";

/** A view, and the page that shows it. */
export interface ViewOwner extends KnownView {
  readonly user: string;
  readonly server: string;
  /** The server's identity: another server may take its name later. */
  readonly identity: ServerIdentity;
  readonly page: PageSession;
}

/** All views of all pages. */
export class KnownViews {
  readonly #views = new Map<string, ViewOwner>();

  get size(): number {
    return this.#views.size;
  }

  add(view: string, owner: ViewOwner): void {
    this.#views.set(view, owner);
  }

  /** Sets the URI of a view's UI, which a policy can refer to. */
  found(view: string, uri: string): void {
    const owner = this.#views.get(view);
    if (owner) this.#views.set(view, { ...owner, uri });
  }

  remove(view: string): void {
    this.#views.delete(view);
  }

  /** The view, if it belongs to this user. */
  of(view: string, user: string): ViewOwner | undefined {
    const owner = this.#views.get(view);
    return owner?.user === user ? owner : undefined;
  }

  /** The view, if it belongs to this user and server: a guard knows no others. */
  find(view: string, user: string, { name, identity }: ServerKey): ViewOwner | undefined {
    const owner = this.of(view, user);
    return owner?.server === name && owner.identity === identity ? owner : undefined;
  }
}
