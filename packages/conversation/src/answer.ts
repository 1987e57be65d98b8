/**
 * One answer of a model, as it comes: its text into its entry, its calls into theirs.
 *
 * @module
 */

import type { CallItem, ModelItem, ModelUsage } from "@vitrine/wire";
import type { Calls } from "./calls.js";
import type { Journal } from "./journal.js";
import type { Model, ModelDelta, ModelRequest } from "./model/model.js";
import { ModelError } from "./model/model-error.js";
import type { NamedTool, NamedTools } from "./tool-names.js";

/** Calls of one answer. */
const MAX_CALLS = 100;

/** What an answer goes into. */
export interface AnswerOptions {
  readonly model: Model;
  readonly request: ModelRequest;
  readonly item: ModelItem;
  readonly journal: Journal;
  readonly calls: Calls;
  readonly names: NamedTools;
  readonly signal: AbortSignal;
  /** The provider's name of a call, for when it is told of the result. */
  named(call: CallItem, id: string): void;
}

/** What came of it. */
export interface Answer {
  readonly calls: readonly CallItem[];
  /** Resolves when all calls are over. */
  readonly over: Promise<unknown>;
  readonly usage?: ModelUsage | undefined;
  readonly reason: Extract<ModelDelta, { kind: "end" }>["reason"];
}

/** A call that the model writes, or has written. */
interface WrittenCall {
  readonly item: CallItem;
  readonly tool: NamedTool | undefined;
  over?: Promise<void> | undefined;
}

/** Follows one answer. */
export class AnswerStream {
  readonly #options: AnswerOptions;
  /** By the provider's names. */
  readonly #open = new Map<string, WrittenCall>();
  readonly #all: WrittenCall[] = [];
  #usage: ModelUsage | undefined;
  #hasBegun = false;

  constructor(options: AnswerOptions) {
    this.#options = options;
  }

  /** Something came: it cannot be asked again as if nothing had. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** The calls that began so far. */
  get calls(): CallItem[] {
    return this.#all.map(({ item }) => item);
  }

  /** Resolves when the calls that were made are over. */
  get over(): Promise<unknown> {
    return Promise.all(this.#all.map(({ over }) => over));
  }

  /** Asks, and follows the answer to its end. A call is made as soon as it is written. */
  async follow(): Promise<Answer> {
    const { model, request, signal } = this.#options;
    let reason: Answer["reason"] = "other";
    for await (const delta of model.stream(request, signal)) {
      signal.throwIfAborted();
      if (delta.kind === "end") {
        reason = delta.reason;
        break;
      }
      this.#take(delta);
    }
    signal.throwIfAborted();
    // Not every provider says that a call is written.
    for (const call of this.#all) this.#written(call);
    return { calls: this.calls, over: this.over, usage: this.#usage, reason };
  }

  #take(delta: Exclude<ModelDelta, { kind: "end" }>): void {
    const { journal, calls, item, names, named } = this.#options;
    this.#hasBegun ||= delta.kind !== "usage";
    switch (delta.kind) {
      case "text":
        journal.addText(item, delta.text);
        break;
      case "call": {
        if (this.#all.length >= MAX_CALLS)
          throw new ModelError("model-invalid", `the model calls more than ${MAX_CALLS} tools at once`);
        const tool = names.find(delta.name);
        const call: WrittenCall = { item: calls.begin(item.id, delta.name, tool), tool };
        // Some providers give every call the same name.
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
    // It is waited for at the end of the answer; until then nobody hears it.
    call.over.catch(() => {});
  }
}
