/**
 * Limits the number of subscriptions of a view.
 *
 * @module
 */
import { Subscriptions } from "@vitrine/guard";
import { INVALID_PARAMS, VitrineError } from "@vitrine/protocol";

/** Maximum subscriptions of a view: with a resource template there are arbitrarily many resources. */
const MOST = 500;

export class BoundedSubscriptions extends Subscriptions {
  readonly #uris = new Set<string>();

  get uris(): readonly string[] {
    return [...this.#uris];
  }

  override async add(uri: string, signal?: AbortSignal): Promise<void> {
    const isNew = !this.#uris.has(uri);
    if (isNew && this.#uris.size >= MOST) {
      throw new VitrineError(
        INVALID_PARAMS,
        `a view can subscribe to at most ${MOST} resources: unsubscribe some`,
      );
    }
    // Counted before the request, because many may be made at once.
    this.#uris.add(uri);
    try {
      await super.add(uri, signal);
    } catch (error) {
      if (isNew) this.#uris.delete(uri);
      throw error;
    }
  }

  override remove(uri: string): Promise<void> {
    this.#uris.delete(uri);
    return super.remove(uri);
  }
}
