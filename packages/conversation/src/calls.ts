/**
 * The calls of a conversation: while they are written, under way, and over.
 *
 * @module
 */

import { isDeepStrictEqual } from "node:util";
import {
  type CallToolResult,
  INVALID_PARAMS,
  PartialJson,
  type Progress,
  type Tool,
  VitrineError,
  withoutSecrets,
} from "@vitrine/protocol";
import { type Clock, messageOf } from "@vitrine/servers/support";
import { type CallItem, MAY_HAVE_RUN } from "@vitrine/wire";
import type { Apps } from "./apps.js";
import { inputProblem, readInput } from "./check-input.js";
import { newItemId } from "./item-id.js";
import type { Journal } from "./journal.js";
import type { ConversationLimits } from "./limits.js";
import type { LiveResults } from "./live-results.js";
import { callKey } from "./lost-calls.js";
import { paced } from "./paced.js";
import type { AppCall, AppPort, CallOptions, ToolPort } from "./ports.js";
import { forgetBeginning, keepBeginning, MAYBE_DONE } from "./result-text.js";
import { type CallHearer, ShownCall } from "./shown-call.js";
import type { NamedTool } from "./tool-names.js";

/** What calls stand on. */
export interface CallsOptions {
  readonly user: string;
  readonly journal: Journal;
  readonly tools: ToolPort;
  readonly apps: AppPort;
  readonly open: Apps;
  readonly live: LiveResults;
  readonly clock: Clock;
  readonly limits: Pick<ConversationLimits, "result">;
  readonly onerror: (error: unknown) => void;
  /** One began, or is over. */
  readonly onchange: () => void;
  /** Writes an entry to the store; resolves when it is there, or to false if it cannot be written. */
  readonly save: (item: string) => Promise<boolean>;
  /** There was no room for a result any more. */
  readonly ondropped: () => void;
}

/** A call that is not over. */
interface OpenCall {
  readonly item: CallItem;
  readonly controller: AbortController;
  /** The view whose tool it is. */
  readonly view?: string | undefined;
  /** The arguments so far, of a tool whose app is not shown yet. */
  json?: PartialJson | undefined;
}

/** Longest problem that is kept: it may be what a server wrote. */
const MAX_PROBLEM = 10_000;
/** Milliseconds between two words of a call's progress: a server may tell of it a thousand times a second, and pages draw it. */
const PROGRESS_PAUSE = 100;

/** Characters of arguments after which nobody looks any more whether they begin like a JSON object. */
const MAX_UNDECIDED = 1_000;

/** Results that are no longer held of which the model still reads the beginning: more would not be sent to it. */
const BEGINNINGS = 4;

/** Runs calls, and tells who looks at them. */
export class Calls {
  readonly #options: CallsOptions;
  /** Calls whose results were let go of, the last ones. */
  readonly #dropped: CallItem[] = [];
  readonly #open = new Map<string, OpenCall>();
  readonly #schemas = new Map<string, unknown>();
  readonly #shown = new Map<string, Set<ShownCall>>();

  constructor(options: CallsOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#open.size > 0;
  }

  /** The schema of a call's arguments; it says what among them is secret. As long as nobody knows it, all of them are. */
  readonly schemaOf = (item: string): unknown =>
    this.#open.has(item) && !this.#schemas.has(item) ? { writeOnly: true } : this.#schemas.get(item);

  /** The model names a tool: from now on it writes the arguments. */
  begin(turn: string, name: string, named: NamedTool | undefined): CallItem {
    const item: CallItem = {
      kind: "call",
      id: newItemId(),
      at: this.#options.clock.now(),
      by: "model",
      turn,
      // What is no tool is shown under the name that the model gave it.
      server: named?.server ?? "",
      tool: named?.tool.name ?? name.slice(0, 200),
      identity: named?.kind === "server" ? named.identity : "",
      ...(named?.kind === "app" && { app: named.app }),
      // Its app is shown as soon as the arguments begin like a JSON object.
      state: "writing",
      inputText: "",
      hasApp: false,
    };
    this.#schemas.set(item.id, named?.tool.inputSchema);
    const view = named?.kind === "app" ? named.view : undefined;
    const json = named?.hasApp ? new PartialJson() : undefined;
    this.#add({ item, controller: new AbortController(), view, json });
    return item;
  }

  /** The model goes on with the arguments. */
  write(item: CallItem, text: string): void {
    if (item.state !== "writing" || text === "") return;
    this.#options.journal.addInput(item, text);
    this.#tell(item, (shown) => shown.write(text));
    this.#showApp(item, text);
  }

  /** Shows the app of a call once its arguments are an object as far as they are written. */
  #showApp(item: CallItem, text: string): void {
    const call = this.#open.get(item.id);
    if (!call?.json) return;
    call.json.push(text);
    const begun = /^\s*\{\s*["}]/.test(call.json.text);
    if (begun && call.json.value()) this.#update(item, { hasApp: true });
    if (item.hasApp || call.json.text.length > MAX_UNDECIDED) call.json = undefined;
  }

  /** The arguments are written: it is done, if it can be. Resolves when it is over; never rejects. */
  async written(item: CallItem, named: NamedTool | undefined): Promise<void> {
    if (item.state !== "writing") return;
    const { input, problem } = readInput(item.inputText ?? "");
    // No server has heard of these calls, so there is nothing that an app could show.
    if (!input) return this.#fail(item, problem, { hasApp: false });
    if (!named) return this.#fail(item, unknownTool(item.tool), { input });
    const wrong = inputProblem(named.tool.inputSchema, input);
    if (wrong) return this.#fail(item, wrong, { input, hasApp: false });
    this.#update(item, { state: "running", input, inputText: undefined, hasApp: named.hasApp });
    const { journal, open } = this.#options;
    await this.#run(item, (options) => {
      if (named.kind === "server") return this.#callServer(item, input, options);
      if (!open.isOpen(named.view)) throw new Error("The app is closed, and its tools are gone.");
      const call = { view: named.view, tool: named.tool, arguments: input };
      return this.#callApp(item, { ...call, conversation: journal.id, item: item.id }, options.signal);
    });
  }

  /** A person calls a tool. Returns at once; what becomes of it is in the entry. */
  byHand(item: CallItem): Promise<void> {
    // Until its schema is known, all of it may be a secret; also if it never is.
    this.#schemas.set(item.id, { writeOnly: true });
    this.#add({ item, controller: new AbortController() });
    const { user, tools } = this.#options;
    return this.#run(item, async (options) => {
      const found = await tools.find(user, item.server, item.tool);
      options.signal.throwIfAborted();
      this.#schemas.set(item.id, found?.tool.inputSchema);
      // The form and the server check what a person writes; an agent is told before anything is opened for it.
      const wrong =
        item.agent === undefined ? undefined : inputProblem(found?.tool.inputSchema, item.input ?? {});
      if (wrong) throw new VitrineError(INVALID_PARAMS, wrong);
      if (found?.hasApp) this.#update(item, { hasApp: true });
      return this.#callServer(item, item.input ?? {}, options);
    });
  }

  /** Somebody who is no model of ours calls a tool of an app. Returns at once; what becomes of it is in the entry. */
  async ofApp(item: CallItem, view: string, tool: Tool): Promise<void> {
    this.#schemas.set(item.id, tool.inputSchema);
    this.#add({ item, controller: new AbortController(), view });
    const input = item.input ?? {};
    const wrong = inputProblem(tool.inputSchema, input);
    if (wrong) return this.#fail(item, wrong);
    const { journal } = this.#options;
    const call = { view, tool, arguments: input, conversation: journal.id, item: item.id, agent: item.agent };
    await this.#run(item, ({ signal }) => this.#callApp(item, call, signal));
  }

  /** Takes a call back; whether there was anything to take back. */
  cancel(id: string, reason: string): boolean {
    const call = this.#open.get(id);
    if (!call) return false;
    this.#end(call.item, { state: "cancelled", problem: reason });
    call.controller.abort(new Error(reason));
    return true;
  }

  cancelAll(reason: string): boolean {
    return [...this.#open.keys()].map((id) => this.cancel(id, reason)).some(Boolean);
  }

  /** An app was closed, and answers nothing any more. */
  appGone(view: string): void {
    for (const [id, call] of this.#open) if (call.view === view) this.cancel(id, "the app was closed");
  }

  /** An entry was removed. */
  removed(id: string): void {
    this.cancel(id, "the entry was removed");
    const item = this.#options.journal.call(id);
    if (item) this.#options.live.remove(item);
    this.#schemas.delete(id);
    this.#shown.delete(id);
  }

  /** Lets somebody hear of a call, from where it is; returns what ends that. */
  shown(item: CallItem, hearer: CallHearer): () => void {
    const { clock, onerror } = this.#options;
    const safe = safely(hearer, onerror);
    const shown = new ShownCall(item, safe, clock);
    const all = this.#shown.get(item.id) ?? new Set();
    this.#shown.set(item.id, all.add(shown));
    return () => {
      shown.close();
      all.delete(shown);
      if (all.size === 0) this.#shown.delete(item.id);
    };
  }

  async #callServer(
    item: CallItem,
    input: Record<string, unknown>,
    options: CallOptions,
  ): Promise<CallToolResult> {
    const { user, journal, tools } = this.#options;
    const { id, server, identity = "", tool, by } = item;
    const key = callKey(journal.id, id);
    const call = { server, identity, tool, arguments: input, key, by, conversation: journal.id, item: id };
    await this.#save(item, options.signal);
    return tools.call(user, call, options);
  }

  async #callApp(
    item: CallItem,
    call: Omit<AppCall, "current">,
    signal: AbortSignal,
  ): Promise<CallToolResult> {
    await this.#save(item, signal);
    const { apps, open, user } = this.#options;
    const current = (): Tool | undefined => open.toolOf(call.view, call.tool.name);
    return apps.call(user, { ...call, current }, signal);
  }

  /** The entry is on disk before its effect: after a crash the conversation has every call that may have run. */
  async #save({ id }: CallItem, signal: AbortSignal): Promise<void> {
    if (!(await this.#options.save(id))) throw new Error(NOT_SAVED);
    signal.throwIfAborted();
  }

  #add(call: OpenCall): void {
    this.#open.set(call.item.id, call);
    this.#options.journal.add(call.item);
    this.#options.onchange();
  }

  async #run(item: CallItem, work: (options: CallOptions) => Promise<CallToolResult>): Promise<void> {
    const call = this.#open.get(item.id);
    if (!call) return;
    const { signal } = call.controller;
    const onprogress = paced<Progress>(this.#options.clock, PROGRESS_PAUSE, (progress) =>
      this.#progress(item, progress),
    );
    // Whoever waits for it goes on when it is taken back, whether the server has noticed or not.
    let leave: (() => void) | undefined;
    const left = new Promise<undefined>((resolve) => {
      leave = () => resolve(undefined);
      signal.addEventListener("abort", leave, { once: true });
    });
    const working = (async () => work({ signal, onprogress }))();
    try {
      const result = await Promise.race([working, left]);
      if (result) this.#answered(item, result);
      // Nobody hears how it fails then.
      else working.catch(() => {});
    } catch (error) {
      const { code, data } = Object(error);
      const isIndeterminate = code === "timeout" || Object(data).indeterminate === true;
      const said = messageOf(error);
      const problem = isIndeterminate && !said.includes(MAY_HAVE_RUN) ? `${said}. ${MAYBE_DONE}` : said;
      this.#fail(item, problem, isIndeterminate ? { isIndeterminate } : {});
    } finally {
      if (leave) signal.removeEventListener("abort", leave);
    }
  }

  /** The answer is the server's, and may be anything. */
  #answered(item: CallItem, answer: CallToolResult): void {
    const result = typeof answer === "object" && answer !== null ? answer : { content: [] };
    this.#end(item, { state: result.isError === true ? "failed" : "done", result });
  }

  #progress(item: CallItem, progress: Progress): void {
    if (item.state !== "running") return;
    this.#options.journal.setProgress(item, progress);
    this.#tell(item, (shown) => shown.progress(progress));
  }

  #fail(item: CallItem, problem: string, more: Partial<CallItem> = {}): void {
    this.#end(item, { state: "failed", problem: problem.slice(0, MAX_PROBLEM), ...more });
  }

  /** The first end counts. */
  #end(item: CallItem, change: Partial<CallItem>): void {
    if (!this.#open.delete(item.id)) return;
    const over = { inputText: undefined, progress: undefined, endedAt: this.#options.clock.now() };
    this.#update(item, { ...over, ...change, ...this.#withoutSecrets({ ...item, ...change }) });
    this.#options.live.add(this.#options.journal, item, () => this.#drop(item));
    this.#options.onchange();
  }

  /** Its result was too large for the store, and others came. */
  #drop(item: CallItem): void {
    keepBeginning(item, this.#options.limits.result);
    this.#dropped.push(item);
    if (this.#dropped.length > BEGINNINGS) for (const old of this.#dropped.splice(0, 1)) forgetBeginning(old);
    this.#options.journal.update(item, { result: undefined, isResultLost: true });
    this.#tell(item, (shown) => shown.dropped());
    this.#options.ondropped();
  }

  /** A secret has done its work when the call is over: a page that is opened later is not told of it. */
  #withoutSecrets({ id, input }: CallItem): Partial<CallItem> {
    const kept = input && withoutSecrets(this.schemaOf(id), input);
    return isDeepStrictEqual(kept, input) ? {} : { input: kept, isInputCut: true };
  }

  #update(item: CallItem, change: Partial<CallItem>): void {
    this.#options.journal.update(item, change);
    this.#tell(item, (shown) => shown.changed(item));
  }

  #tell(item: CallItem, tell: (shown: ShownCall) => void): void {
    for (const shown of [...(this.#shown.get(item.id) ?? [])]) tell(shown);
  }
}

const NOT_SAVED =
  "The call was not made: the conversation cannot be saved. A note in the conversation says why.";

const unknownTool = (name: string): string =>
  `There is no tool ${JSON.stringify(name)}. Call only tools that are offered, by their exact names.`;

/** A hearer that throws stops nobody else. */
function safely(hearer: CallHearer, onerror: (error: unknown) => void): CallHearer {
  const guarded =
    <T>(tell: (value: T) => void) =>
    (value: T): void => {
      try {
        tell(value);
      } catch (error) {
        onerror(error);
      }
    };
  return {
    partial: guarded((input) => hearer.partial(input)),
    input: guarded((input) => hearer.input(input)),
    progress: guarded((progress) => hearer.progress(progress)),
    result: guarded((result) => hearer.result(result)),
    cancelled: guarded((reason) => hearer.cancelled(reason)),
    dropped: guarded((reason) => hearer.dropped?.(reason)),
  };
}
