/**
 * The running call that a view shows.
 *
 * @module
 */
import type { CallToolResult, Progress } from "@vitrine/protocol";
import type { OpenedView } from "@vitrine/wire";
import { notificationMessage } from "./rpc.js";

/** The view that shows the call. */
export interface ShowingView {
  readonly opened: OpenedView;
  notify(kind: string, text: string): void;
}

/** Sends the events of a call to its view, and keeps them for a reloaded page. Only the first end counts. */
export class ShownCall {
  readonly #view: ShowingView;
  readonly #controller = new AbortController();
  #isOver = false;

  constructor(view: ShowingView, input: Record<string, unknown>) {
    this.#view = view;
    view.opened.input = input;
  }

  /** Aborts when the call is cancelled. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  progress(progress: Progress): void {
    if (this.#isOver) return;
    this.#view.opened.progress = progress;
    this.#notify("gateway/progress", progress);
  }

  /** Ends the call with a result. Returns whether it was still running. */
  done(result: CallToolResult): boolean {
    if (!this.#end()) return false;
    this.#view.opened.result = result;
    this.#notify("ui/notifications/tool-result", result);
    return true;
  }

  /** Ends the call as failed or cancelled, also on the server. Returns whether it was still running. */
  cancel(reason: string): boolean {
    if (!this.#end()) return false;
    this.#view.opened.cancelled = reason;
    this.#notify("ui/notifications/tool-cancelled", { reason });
    this.#controller.abort();
    return true;
  }

  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    delete this.#view.opened.progress;
    return true;
  }

  /** All events have one kind, so that a slow page gets the end instead of earlier progress. */
  #notify(method: string, params: object): void {
    this.#view.notify("call", notificationMessage(method, params));
  }
}
