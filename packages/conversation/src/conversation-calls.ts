/**
 * The calls of a conversation: while they are written, while they run, and after they ended.
 *
 * @module
 */

import { isDeepStrictEqual } from "node:util";
import {
  type CallToolResult,
  INVALID_PARAMS,
  PartialJson,
  type Progress,
  readEmbeddedUi,
  type Tool,
  VitrineError,
  withoutSecrets,
} from "@vitrine/protocol";
import { type Clock, messageOf } from "@vitrine/servers/support";
import { type CallItem, MAY_HAVE_RUN } from "@vitrine/wire";
import type { Apps } from "./apps.js";
import { type CallEventListener, CallReporter } from "./call-reporter.js";
import { inputProblem, readInput } from "./check-input.js";
import { newItemId } from "./item-id.js";
import type { Journal } from "./journal.js";
import type { ConversationLimits } from "./limits.js";
import type { LiveResults } from "./live-results.js";
import { callKey } from "./lost-calls.js";
import { paced } from "./paced.js";
import type { AppCall, AppPort, ToolCallOptions, ToolPort } from "./ports.js";
import { forgetBeginning, keepBeginning, MAYBE_DONE } from "./result-text.js";
import type { NamedTool } from "./tool-names.js";

/** Options of {@link ConversationCalls}. */
export interface ConversationCallsOptions {
  readonly user: string;
  readonly journal: Journal;
  readonly tools: ToolPort;
  readonly apps: AppPort;
  readonly open: Apps;
  readonly live: LiveResults;
  readonly clock: Clock;
  readonly limits: Pick<ConversationLimits, "result">;
  readonly onerror: (error: unknown) => void;
  /** Called when a call starts or ends. */
  readonly onchange: () => void;
  /** Writes an entry to the store. Resolves when it is stored, or to false if it cannot be written. */
  readonly save: (item: string) => Promise<boolean>;
  /** Called when a result was dropped for lack of space. */
  readonly ondropped: () => void;
}

/** A call that has not ended. */
interface OpenCall {
  readonly item: CallItem;
  readonly controller: AbortController;
  /** The view that provides the tool. */
  readonly view?: string | undefined;
  /** The arguments so far, until the app of the tool is shown. */
  json?: PartialJson | undefined;
}

/** Maximum length of a stored problem, which may come from a server. */
const MAX_PROBLEM = 10_000;
/** Milliseconds between progress updates. A server may send a thousand per second, and pages render each. */
const PROGRESS_PAUSE = 100;

/** Characters after which arguments are no longer checked for the start of a JSON object. */
const MAX_UNDECIDED = 1_000;

/** Number of dropped results whose beginnings the model still reads. It would not be sent more of them. */
const BEGINNINGS = 4;

/** Runs calls, and notifies their listeners. */
export class ConversationCalls {
  readonly #options: ConversationCallsOptions;
  /** The most recent calls whose results were dropped. */
  readonly #dropped: CallItem[] = [];
  readonly #open = new Map<string, OpenCall>();
  readonly #schemas = new Map<string, unknown>();
  readonly #shown = new Map<string, Set<CallReporter>>();

  constructor(options: ConversationCallsOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#open.size > 0;
  }

  /**
   * The schema of a call's arguments, which marks secrets. Until it is known, all arguments count as secret.
   */
  readonly schemaOf = (item: string): unknown =>
    this.#open.has(item) && !this.#schemas.has(item) ? { writeOnly: true } : this.#schemas.get(item);

  /** Starts a call: the model has named a tool, and will write its arguments. */
  start(turn: string, name: string, named: NamedTool | undefined): CallItem {
    const item: CallItem = {
      kind: "call",
      id: newItemId(),
      at: this.#options.clock.now(),
      by: "model",
      turn,
      // An unknown tool is shown under the name that the model gave it.
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

  /** Adds to the arguments. */
  write(item: CallItem, text: string): void {
    if (item.state !== "writing" || text === "") return;
    this.#options.journal.addInput(item, text);
    this.#notify(item, (shown) => shown.write(text));
    this.#showApp(item, text);
  }

  /** Shows the app of a call once its partial arguments are an object. */
  #showApp(item: CallItem, text: string): void {
    const call = this.#open.get(item.id);
    if (!call?.json) return;
    call.json.push(text);
    const isObject = /^\s*\{\s*["}]/.test(call.json.text);
    if (isObject && call.json.value()) this.#update(item, { hasApp: true });
    if (item.hasApp || call.json.text.length > MAX_UNDECIDED) call.json = undefined;
  }

  /**
   * Makes a call whose arguments are complete, if they are valid. Resolves when it has ended; never rejects.
   */
  async written(item: CallItem, named: NamedTool | undefined): Promise<void> {
    if (item.state !== "writing") return;
    const { input, problem } = readInput(item.inputText ?? "");
    // These calls reach no server, so there is nothing for an app to show.
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

  /**
   * Makes a call for the user. Returns at once; the entry shows the progress.
   *
   * @param isCallersKey whether the id of the entry derives from a key of the caller
   */
  byHand(item: CallItem, isCallersKey: boolean): Promise<void> {
    // Until the schema is known, and if it never is, all arguments may be secret.
    this.#schemas.set(item.id, { writeOnly: true });
    this.#add({ item, controller: new AbortController() });
    const { user, tools } = this.#options;
    return this.#run(item, async (options) => {
      const found = await tools.find(user, item.server, item.tool);
      options.signal.throwIfAborted();
      this.#schemas.set(item.id, found?.tool.inputSchema);
      // The form and the server validate input of a user. Input of an agent is validated before anything is
      // opened for it.
      const wrong =
        item.agent === undefined ? undefined : inputProblem(found?.tool.inputSchema, item.input ?? {});
      if (wrong) throw new VitrineError(INVALID_PARAMS, wrong);
      if (found?.hasApp) this.#update(item, { hasApp: true });
      return this.#callServer(item, item.input ?? {}, options, isCallersKey);
    });
  }

  /** Makes a call of an app's tool for an external agent. Returns at once; the entry shows the progress. */
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

  /** Cancels a call. Returns whether there was anything to cancel. */
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

  /** Cancels the calls of an app that was closed. */
  appGone(view: string): void {
    for (const [id, call] of this.#open) if (call.view === view) this.cancel(id, "the app was closed");
  }

  /** Cancels and forgets the call of an entry that was removed. */
  removed(id: string): void {
    this.cancel(id, "the entry was removed");
    const item = this.#options.journal.call(id);
    if (item) this.#options.live.remove(item);
    this.#schemas.delete(id);
    this.#shown.delete(id);
  }

  /** Adds a listener to a call in any state. Returns a function that removes it. */
  shown(item: CallItem, listener: CallEventListener): () => void {
    const { clock, onerror } = this.#options;
    const safe = safely(listener, onerror);
    const shown = new CallReporter(item, safe, clock);
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
    options: ToolCallOptions,
    isCallersKey = false,
  ): Promise<CallToolResult> {
    const { user, journal, tools } = this.#options;
    const { id, server, identity = "", tool, by } = item;
    const call = {
      server,
      identity,
      tool,
      arguments: input,
      key: callKey(journal.id, id),
      isCallersKey,
      by,
      conversation: journal.id,
      item: id,
    };
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

  /**
   * Stores the entry before its effect: after a crash, the conversation contains every call that may have
   * run.
   */
  async #save({ id }: CallItem, signal: AbortSignal): Promise<void> {
    if (!(await this.#options.save(id))) throw new Error(NOT_SAVED);
    signal.throwIfAborted();
  }

  #add(call: OpenCall): void {
    this.#open.set(call.item.id, call);
    this.#options.journal.add(call.item);
    this.#options.onchange();
  }

  async #run(item: CallItem, work: (options: ToolCallOptions) => Promise<CallToolResult>): Promise<void> {
    const call = this.#open.get(item.id);
    if (!call) return;
    const { signal } = call.controller;
    const onprogress = paced<Progress>(this.#options.clock, PROGRESS_PAUSE, (progress) =>
      this.#progress(item, progress),
    );
    // Callers continue as soon as the call is cancelled, whether or not the server has noticed.
    let leave: (() => void) | undefined;
    const left = new Promise<undefined>((resolve) => {
      leave = () => resolve(undefined);
      signal.addEventListener("abort", leave, { once: true });
    });
    const working = (async () => work({ signal, onprogress }))();
    try {
      const result = await Promise.race([working, left]);
      if (result) this.#answered(item, result);
      // A later failure is ignored.
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

  /** The answer comes from the server, and may be anything. */
  #answered(item: CallItem, answer: CallToolResult): void {
    const result = typeof answer === "object" && answer !== null ? answer : { content: [] };
    // A tool without a UI may return one.
    const isShown = !item.hasApp && !item.app && readEmbeddedUi(result) !== undefined;
    this.#end(item, {
      state: result.isError === true ? "failed" : "done",
      result,
      ...(isShown && { hasApp: true }),
    });
  }

  #progress(item: CallItem, progress: Progress): void {
    if (item.state !== "running") return;
    this.#options.journal.setProgress(item, progress);
    this.#notify(item, (shown) => shown.progress(progress));
  }

  #fail(item: CallItem, problem: string, more: Partial<CallItem> = {}): void {
    this.#end(item, { state: "failed", problem: problem.slice(0, MAX_PROBLEM), ...more });
  }

  /** Only the first end counts. */
  #end(item: CallItem, change: Partial<CallItem>): void {
    if (!this.#open.delete(item.id)) return;
    const over = { inputText: undefined, progress: undefined, endedAt: this.#options.clock.now() };
    this.#update(item, { ...over, ...change, ...this.#withoutSecrets({ ...item, ...change }) });
    this.#options.live.add(this.#options.journal, item, () => this.#drop(item));
    this.#options.onchange();
  }

  /** Drops a result that is too large for the store, in favour of newer ones. */
  #drop(item: CallItem): void {
    keepBeginning(item, this.#options.limits.result);
    this.#dropped.push(item);
    if (this.#dropped.length > BEGINNINGS) for (const old of this.#dropped.splice(0, 1)) forgetBeginning(old);
    this.#options.journal.update(item, { result: undefined, isResultLost: true });
    this.#notify(item, (shown) => shown.dropped());
    this.#options.ondropped();
  }

  /** Removes secrets when the call has ended: pages that are opened later do not see them. */
  #withoutSecrets({ id, input }: CallItem): Partial<CallItem> {
    const kept = input && withoutSecrets(this.schemaOf(id), input);
    return isDeepStrictEqual(kept, input) ? {} : { input: kept, isInputCut: true };
  }

  #update(item: CallItem, change: Partial<CallItem>): void {
    this.#options.journal.update(item, change);
    this.#notify(item, (shown) => shown.changed(item));
  }

  #notify(item: CallItem, notify: (shown: CallReporter) => void): void {
    for (const shown of [...(this.#shown.get(item.id) ?? [])]) notify(shown);
  }
}

const NOT_SAVED =
  "The call was not made because the conversation cannot be saved. A note in the conversation says why.";

const unknownTool = (name: string): string =>
  `There is no tool ${JSON.stringify(name)}. Call only tools that are offered, by their exact names.`;

/** Wraps a listener so that its errors do not affect others. */
function safely(listener: CallEventListener, onerror: (error: unknown) => void): CallEventListener {
  const guarded =
    <T>(notify: (value: T) => void) =>
    (value: T): void => {
      try {
        notify(value);
      } catch (error) {
        onerror(error);
      }
    };
  return {
    partial: guarded((input) => listener.partial(input)),
    input: guarded((input) => listener.input(input)),
    progress: guarded((progress) => listener.progress(progress)),
    result: guarded((result) => listener.result(result)),
    cancelled: guarded((reason) => listener.cancelled(reason)),
    dropped: guarded((reason) => listener.dropped?.(reason)),
  };
}
