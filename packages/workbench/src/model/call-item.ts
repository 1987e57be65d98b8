/**
 * A call in the conversation.
 *
 * @module
 */
import type { CallToolResult, Progress } from "@vitrine/protocol";
import type { AppModel } from "./app-model.js";
import { messageOf } from "./messages.js";
import { Observable } from "./observable.js";
import type { CallState, SavedCall } from "./saved-conversation.js";

const CHANGED = "The document of this app was changed on its server while the page was away.";

/** A call of a tool. */
export class CallItem extends Observable {
  readonly kind = "call";
  readonly id: string;
  readonly at: number;
  readonly server: string;
  readonly tool: string;
  readonly input: Record<string, unknown>;
  /** There were secrets among its arguments, and they were lost with a reload. */
  readonly isInputCut: boolean;
  state: CallState;
  progress: Progress | undefined;
  result: CallToolResult | undefined;
  /** There was a result, too large to be kept over a reload. */
  isResultLost: boolean;
  /** Why it failed. */
  problem: string | undefined;
  app: AppModel | undefined;
  /** That the document of its app was changed while the page was away. */
  note: string | undefined;
  /** The hash of that document, as it was shown last. */
  document: string | undefined;
  /** The name of the request that waits for its answer, if no app shows it. */
  request: string | undefined;
  /** The name under which the gateway knows the app. */
  view: string | undefined;
  profile: string | undefined;
  endedAt: number | undefined;
  /** What of its arguments may be kept. */
  readonly #kept: Record<string, unknown>;
  #isTakenBack = false;
  /** Takes the call back. */
  oncancel: (() => unknown) | undefined;

  constructor(saved: SavedCall, kept = saved.input) {
    super();
    this.#kept = kept;
    this.isInputCut = saved.isInputCut ?? false;
    const { id, at, server, tool, input, state, result, problem, request, view, profile, endedAt } = saved;
    this.document = saved.document;
    this.id = id;
    this.at = at;
    this.server = server;
    this.tool = tool;
    this.input = input;
    this.state = state;
    this.result = result;
    this.isResultLost = saved.isResultLost ?? false;
    this.problem = problem;
    this.request = request;
    this.view = view;
    this.profile = profile;
    this.endedAt = endedAt;
  }

  update(
    change: Partial<
      Pick<
        CallItem,
        "state" | "progress" | "result" | "problem" | "app" | "request" | "view" | "document" | "note"
      >
    >,
  ): void {
    Object.assign(this, change);
    if (this.result) this.isResultLost = false;
    if (this.state !== "running") this.endedAt ??= Date.now();
    this.changed();
  }

  /** Its app has this document now. Without a hash nothing is known of it. */
  shows(document: string | undefined): void {
    if (document === undefined || document === this.document) return;
    this.update({ document, ...(this.document !== undefined && { note: CHANGED }) });
  }

  /** The gateway has this document now, and the app goes on with the one that it has. */
  goesOn(document: string | undefined): void {
    const isOther = document !== undefined && this.document !== undefined && document !== this.document;
    if (isOther) this.update({ note: `${CHANGED} The app is still the one from before.` });
  }

  cancel(): void {
    if (this.state !== "running") return;
    this.#isTakenBack = true;
    void this.#takeBack();
  }

  async #takeBack(): Promise<void> {
    try {
      await this.oncancel?.();
    } catch (error) {
      this.#isTakenBack = false;
      this.update({ problem: `The call could not be taken back: ${messageOf(error)}` });
    }
  }

  /** It came to no answer: because the person did not want it any more, or for another reason. */
  end(problem: string | undefined): void {
    if (this.state !== "running") return;
    this.update(this.#isTakenBack ? { state: "cancelled" } : { state: "failed", problem });
  }

  /** Resolves when it is over, if it is not yet. */
  over(): Promise<void> {
    if (this.state !== "running") return Promise.resolve();
    return new Promise((resolve) => {
      const stop = this.subscribe(() => {
        if (this.state === "running") return;
        stop();
        resolve();
      });
    });
  }

  get saved(): SavedCall {
    const { kind, id, at, server, tool, state, result, problem, request, view, profile, endedAt } = this;
    const { document } = this;
    const isWhole = JSON.stringify(this.#kept) === JSON.stringify(this.input);
    const isInputCut = this.isInputCut || !isWhole || undefined;
    const isResultLost = this.isResultLost || undefined;
    return {
      kind,
      id,
      at,
      server,
      tool,
      input: this.#kept,
      isInputCut,
      state,
      result,
      isResultLost,
      problem,
      request,
      view,
      document,
      profile,
      endedAt,
    };
  }
}
