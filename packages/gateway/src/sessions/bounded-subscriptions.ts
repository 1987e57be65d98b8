/**
 * The subscriptions of a view, of which there are not endlessly many.
 *
 * @module
 */
import { Subscriptions } from "@vitrine/guard";
import { INVALID_PARAMS, VitrineError } from "@vitrine/protocol";

/** Resources that one view may hear of: with a template of the server's there are as many as it likes. */
const MOST = 500;

export class BoundedSubscriptions extends Subscriptions {
  readonly #uris = new Set<string>();

  get uris(): readonly string[] {
    return [...this.#uris];
  }

  override async add(uri: string, signal?: AbortSignal): Promise<void> {
    const isNew = !this.#uris.has(uri);
    if (isNew && this.#uris.size >= MOST) {
      throw new VitrineError(INVALID_PARAMS, `a view hears of at most ${MOST} resources: unsubscribe some`);
    }
    // Taken before it is asked for: all may be asked for at once.
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
