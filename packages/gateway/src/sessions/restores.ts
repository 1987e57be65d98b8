/**
 * Restores the views of a page after a reload, without blocking it on a slow server.
 *
 * @module
 */
import type { OpenedView } from "@vitrine/wire";
import { isUnexpected, presentable } from "./rpc.js";
import { SmallMap } from "./small-map.js";

/** Options of {@link Restores}. */
export interface RestoresOptions {
  /** Makes sure that a view can still be shown. Takes as long as its server or the user. */
  restore(opened: OpenedView, signal: AbortSignal): Promise<OpenedView>;
  /** Called with errors that the page does not see in full. */
  onerror(error: unknown): void;
}

interface Running {
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

/** Milliseconds that a page waits for all of its documents. */
const RESTORE_TIMEOUT = 2000;

/** Pending restorations, one per view. */
export class Restores {
  readonly #options: RestoresOptions;
  readonly #running = new SmallMap<string, Running>();

  constructor(options: RestoresOptions) {
    this.#options = options;
  }

  /** Resolves when the views are restored, or after the timeout. Restoration continues after that. */
  async wait(views: readonly OpenedView[]): Promise<void> {
    const all = Promise.all(views.map((opened) => this.#bringBack(opened)));
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, RESTORE_TIMEOUT);
    });
    await Promise.race([all, timeout]);
    clearTimeout(timer);
  }

  /**
   * The view for the page. A view that is not restored yet keeps its address: the same document returns to
   * the same address, so a frame that retries finds it there.
   */
  asShown(opened: OpenedView): OpenedView {
    if (!this.#running.has(opened.view)) return opened;
    const message = "its document is being read from its server again: try again in a moment";
    return { ...opened, problem: { code: "load-failed", message } };
  }

  /** Cancels the restoration of a closed view. */
  stop(view: string): void {
    this.#running.get(view)?.controller.abort();
    this.#running.delete(view);
  }

  #bringBack(opened: OpenedView): Promise<void> {
    const { view } = opened;
    const running = this.#running.get(view);
    if (running) return running.done;
    const controller = new AbortController();
    const done = this.#restore(opened, controller.signal).finally(() => this.#running.delete(view));
    this.#running.set(view, { controller, done });
    return done;
  }

  /** Never throws: if a view can no longer be shown, the page gets the reason. */
  async #restore(opened: OpenedView, signal: AbortSignal): Promise<void> {
    const options = this.#options;
    try {
      const { place, problem, uri, hash, tool } = await options.restore(opened, signal);
      if (!signal.aborted) Object.assign(opened, { place, problem, uri, hash, tool });
    } catch (error) {
      if (signal.aborted) return;
      if (isUnexpected(error)) options.onerror(error);
      const message = `its document was dropped, and cannot be read again: ${presentable(error).message}`;
      Object.assign(opened, { place: undefined, problem: { code: "load-failed", message } });
    }
  }
}
