/**
 * The call that a view shows, until it is over.
 *
 * @module
 */
import type { CallToolResult, Progress } from "@vitrine/protocol";
import type { OpenedView } from "@vitrine/wire";
import { notificationMessage } from "./rpc.js";

/** The view that shows it. */
export interface ShowingView {
  readonly opened: OpenedView;
  tell(kind: string, text: string): void;
}

/** Tells a view of its call, and keeps what was told for a page that is reloaded. The first end counts. */
export class ShownCall {
  readonly #view: ShowingView;
  readonly #controller = new AbortController();
  #isOver = false;

  constructor(view: ShowingView, input: Record<string, unknown>) {
    this.#view = view;
    view.opened.input = input;
  }

  /** Aborted when it is taken back. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  progress(progress: Progress): void {
    if (this.#isOver) return;
    this.#view.opened.progress = progress;
    this.#tell("gateway/progress", progress);
  }

  /** It is done; returns whether anybody still wanted to know. */
  done(result: CallToolResult): boolean {
    if (!this.#end()) return false;
    this.#view.opened.result = result;
    this.#tell("ui/notifications/tool-result", result);
    return true;
  }

  /** It failed, or is taken back: then the server is told. Returns whether it was still under way. */
  cancel(reason: string): boolean {
    if (!this.#end()) return false;
    this.#view.opened.cancelled = reason;
    this.#tell("ui/notifications/tool-cancelled", { reason });
    this.#controller.abort();
    return true;
  }

  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    delete this.#view.opened.progress;
    return true;
  }

  /** All of one kind: to a slow page, how it ended comes in place of how far it had come. */
  #tell(method: string, params: object): void {
    this.#view.tell("call", notificationMessage(method, params));
  }
}
