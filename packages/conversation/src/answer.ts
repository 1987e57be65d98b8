/**
 * Receives an answer of a model as a stream: text goes into its entry, and calls into theirs.
 *
 * @module
 */

import type { CallItem, ModelItem, ModelUsage } from "@vitrine/wire";
import type { ConversationCalls } from "./conversation-calls.js";
import type { Journal } from "./journal.js";
import type { Model, ModelDelta, ModelRequest } from "./model/model.js";
import { ModelError } from "./model/model-error.js";
import type { NamedTool, NamedTools } from "./tool-names.js";

/** Maximum number of calls in an answer. */
const MAX_CALLS = 100;

/** Options of {@link AnswerStream}. */
export interface AnswerOptions {
  readonly model: Model;
  readonly request: ModelRequest;
  readonly item: ModelItem;
  readonly journal: Journal;
  readonly calls: ConversationCalls;
  readonly names: NamedTools;
  readonly signal: AbortSignal;
  /** Records the provider's id of a call, which is needed to return the result. */
  named(call: CallItem, id: string): void;
}

/** A complete answer. */
export interface ModelAnswer {
  readonly calls: readonly CallItem[];
  /** Resolves when all calls have ended. */
  readonly over: Promise<unknown>;
  readonly usage?: ModelUsage | undefined;
  readonly reason: Extract<ModelDelta, { kind: "end" }>["reason"];
}

/** A call that the model is writing, or has written. */
interface WrittenCall {
  readonly item: CallItem;
  readonly tool: NamedTool | undefined;
  over?: Promise<void> | undefined;
}

/** Receives a single answer. */
export class AnswerStream {
  readonly #options: AnswerOptions;
  /** By the provider's ids. */
  readonly #open = new Map<string, WrittenCall>();
  readonly #all: WrittenCall[] = [];
  #usage: ModelUsage | undefined;
  #hasStarted = false;

  constructor(options: AnswerOptions) {
    this.#options = options;
  }

  /** Whether any part of the answer has arrived. After that, the request cannot be retried. */
  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  /** The calls so far. */
  get calls(): CallItem[] {
    return this.#all.map(({ item }) => item);
  }

  /** Resolves when the calls that were made have ended. */
  get over(): Promise<unknown> {
    return Promise.all(this.#all.map(({ over }) => over));
  }

  /**
   * Sends the request and receives the whole answer. A call is made as soon as its arguments are complete.
   */
  async follow(): Promise<ModelAnswer> {
    const { model, request, signal } = this.#options;
    let reason: ModelAnswer["reason"] = "other";
    for await (const delta of model.stream(request, signal)) {
      signal.throwIfAborted();
      if (delta.kind === "end") {
        reason = delta.reason;
        break;
      }
      this.#take(delta);
    }
    signal.throwIfAborted();
    // Not every provider reports that a call is complete.
    for (const call of this.#all) this.#written(call);
    return { calls: this.calls, over: this.over, usage: this.#usage, reason };
  }

  #take(delta: Exclude<ModelDelta, { kind: "end" }>): void {
    const { journal, calls, item, names, named } = this.#options;
    this.#hasStarted ||= delta.kind !== "usage";
    switch (delta.kind) {
      case "text":
        journal.addText(item, delta.text);
        break;
      case "call": {
        if (this.#all.length >= MAX_CALLS)
          throw new ModelError("model-invalid", `the model calls more than ${MAX_CALLS} tools at once`);
        const tool = names.find(delta.name);
        const call: WrittenCall = { item: calls.start(item.id, delta.name, tool), tool };
        // Some providers give every call the same id.
        if (!this.#open.has(delta.id)) named(call.item, delta.id);
        this.#open.set(delta.id, call);
        this.#all.push(call);
        break;
      }
      case "arguments": {
        const call = this.#open.get(delta.id);
        if (call) calls.write(call.item, delta.text);
        break;
      }
      case "called": {
        const call = this.#open.get(delta.id);
        if (call) this.#written(call);
        break;
      }
      case "usage":
        this.#usage = delta.usage;
    }
  }

  #written(call: WrittenCall): void {
    call.over ??= this.#options.calls.written(call.item, call.tool);
    // Awaited at the end of the answer; a rejection before that must not be unhandled.
    call.over.catch(() => {});
  }
}
