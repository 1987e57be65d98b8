/**
 * Brings the views of a page back after a reload, without letting it wait for a server that is slow.
 *
 * @module
 */
import type { OpenedView } from "@vitrine/wire";
import { isUnexpected, presentable } from "./rpc.js";

/** What {@link Restores} stand on. */
export interface RestoresOptions {
  /** Makes sure that a view can still be shown; may take as long as its server, or the person, does. */
  restore(opened: OpenedView, signal: AbortSignal): Promise<OpenedView>;
  /** Hears what failed and the page is not told in full. */
  onerror(error: unknown): void;
}

interface Running {
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

/** Milliseconds that a page waits for its documents, for all of them together. */
const PATIENCE = 2000;

/** What is being brought back: each view once at a time. */
export class Restores {
  readonly #options: RestoresOptions;
  readonly #running = new Map<string, Running>();

  constructor(options: RestoresOptions) {
    this.#options = options;
  }

  /** Resolves when they are there, or after a moment. What is not there by then is brought back all the same. */
  async wait(views: readonly OpenedView[]): Promise<void> {
    const all = Promise.all(views.map((opened) => this.#bringBack(opened)));
    let timer: ReturnType<typeof setTimeout> | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, PATIENCE);
    });
    await Promise.race([all, patience]);
    clearTimeout(timer);
  }

  /**
   * What the page is told of a view now. One that is not back yet keeps its place: the same document comes back to the
   * same address, so that a frame that tries again finds it there (C08).
   */
  asTold(opened: OpenedView): OpenedView {
    if (!this.#running.has(opened.view)) return opened;
    const message = "its document is being read from its server again: try again in a moment";
    return { ...opened, problem: { code: "load_failed", message } };
  }

  /** The view is closed: nobody waits for it. */
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

  /** Never throws: of a view that cannot be shown any more the page is told why (C08). */
  async #restore(opened: OpenedView, signal: AbortSignal): Promise<void> {
    const { restore, onerror } = this.#options;
    try {
      const { place, problem, uri, hash, tool } = await restore(opened, signal);
      if (!signal.aborted) Object.assign(opened, { place, problem, uri, hash, tool });
    } catch (error) {
      if (signal.aborted) return;
      if (isUnexpected(error)) onerror(error);
      const message = `its document is not kept any more, and cannot be read again: ${presentable(error).message}`;
      Object.assign(opened, { place: undefined, problem: { code: "load_failed", message } });
    }
  }
}
