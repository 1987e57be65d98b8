/**
 * A gateway's view, as the page sees it.
 *
 * @module
 */

import {
  type Link,
  resultText,
  type ServerCapabilities,
  type Upstream,
  type UpstreamNotification,
} from "@vitrine/guard";
import { JsonText, Listeners, type Progress, type Result, recordOf } from "@vitrine/protocol";
import type { CallItem, ConversationItem, GatewayRequests, OpenedView } from "@vitrine/wire";
import type { Calls, Port } from "./calls.js";
import { viewGuard } from "./view-guard.js";

/** A notification about the call that a view shows: pass it to its bridge. */
export type ViewNotice =
  | { method: "ui/notifications/tool-input-partial"; params: { arguments: Record<string, unknown> } }
  | { method: "ui/notifications/tool-input"; params: { arguments: Record<string, unknown> } }
  | { method: "ui/notifications/tool-result"; params: Result<"tools/call"> | JsonText }
  | { method: "ui/notifications/tool-cancelled"; params: { reason?: string } };

/** Requests of a view to its gateway. */
interface ViewHome {
  cancel(view: string): Promise<GatewayRequests["gateway/cancel"]["result"]>;
  close(view: GatewayView): Promise<void>;
}

/**
 * A view of a gateway: the parts for its `Bridge`, and its notifications.
 *
 * @example
 * ```ts source="./gateway.examples.ts#gatewayView"
 * // `showView` does all of this for an `<mcp-app>`.
 * const bridge = new Bridge({
 *   info: { name: "my-chat", version: "1.0.0" },
 *   instance: view.id,
 *   upstream: view.upstream,
 *   guard: view.guard,
 * });
 * if (view.opened.input) bridge.sendToolInput(view.opened.input);
 * if (view.opened.result) bridge.sendToolResult(view.opened.result);
 * view.onnotice = ({ method, params }) => {
 *   if (method === "ui/notifications/tool-input-partial") bridge.sendToolInputPartial(params.arguments);
 *   else if (method === "ui/notifications/tool-input") bridge.sendToolInput(params.arguments);
 *   else if (method === "ui/notifications/tool-result") bridge.sendToolResult(params);
 *   else bridge.sendToolCancelled(params.reason);
 * };
 * // `view.opened.place` is the location of the frame's document.
 * ```
 */
export class GatewayView {
  readonly #calls: Calls;
  readonly #port: Port;
  readonly #home: ViewHome;
  readonly #listeners = new Listeners<Parameters<Parameters<Upstream["listen"]>[0]>>();
  readonly #subscribed = new Set<string>();
  #opened: OpenedView;
  #early: ViewNotice[] = [];
  #result: Result<"tools/call"> | JsonText | undefined;
  /** Whether its call has ended. */
  #isOver: boolean;
  #onnotice: ((notice: ViewNotice) => void) | undefined;
  /** The view is gone: it was closed, or the gateway could not reopen it. Called once. */
  onclosed: ((reason: string) => void) | undefined;
  /** The gateway had dropped it, and has reopened it: {@link opened} is new. The shown app stays as it is. */
  onreopened: (() => void) | undefined;
  /** The server's last progress report of a running call. */
  progress: Progress | undefined;
  /** Called with each {@link progress}. Its message comes from the server: show it as text. */
  onprogress: ((progress: Progress) => void) | undefined;
  /**
   * Its id in this page: for `new Bridge({ instance })`, so that questions find its frame. Unlike the
   * gateway's id, it stays the same when the gateway restarts.
   */
  readonly id: string;
  /** The view's own server, for `new Bridge({ upstream, guard })`. */
  readonly upstream: Upstream;
  /** Guards the view's calls, for `new Bridge({ upstream, guard })`. The rules are the gateway's. */
  readonly guard: Link;

  /** @internal */
  constructor(opened: OpenedView, calls: Calls, port: Port, home: ViewHome) {
    this.id = opened.view;
    this.progress = opened.progress;
    this.#opened = opened;
    this.#isOver = "result" in opened || "cancelled" in opened;
    this.#calls = calls;
    this.#port = port;
    this.#home = home;
    this.guard = viewGuard(calls, port);
    const capabilities = (): ServerCapabilities => this.#opened.capabilities;
    this.upstream = {
      server: opened.server,
      get capabilities() {
        return capabilities();
      },
      request: async (method, params, options) => {
        const result = await calls.request(port, method, params, options);
        const { uri = "" } = params as { uri?: string };
        if (method === "resources/subscribe") this.#subscribed.add(uri);
        if (method === "resources/unsubscribe") this.#subscribed.delete(uri);
        return result as Result<typeof method> | JsonText;
      },
      listen: (listener) => this.#listeners.add(listener),
    };
  }

  /** The gateway's description: location, tool, and the call so far. */
  get opened(): OpenedView {
    return this.#opened;
  }

  /** The result of its call, if there is one. */
  get result(): Result<"tools/call"> | JsonText | undefined {
    return this.#result ?? this.#opened.result;
  }

  /**
   * Receives notifications of its call, after the state in {@link opened}. Earlier ones are queued for the
   * listener; the input is then in `opened`.
   */
  set onnotice(listener: ((notice: ViewNotice) => void) | undefined) {
    this.#onnotice = listener;
    if (listener) for (const notice of this.#early.splice(0)) listener(notice);
  }

  /**
   * Cancels its call, at the server too; the view is notified. Resolves to whether there was a running call.
   */
  async cancel(): Promise<boolean> {
    return (await this.#home.cancel(this.#opened.view)).cancelled;
  }

  /** Notifies the gateway that the view is gone; pending requests are dropped. */
  close(): Promise<void> {
    return this.#home.close(this);
  }

  /** @internal Handles a message of the view's channel. */
  receive(text: string): void {
    const large = text.length > LARGE && text.startsWith(RESULT_NOTICE) ? largeResult(text) : undefined;
    if (large) {
      this.#notice({ method: "ui/notifications/tool-result", params: large });
      return;
    }
    const { method, params } = this.#calls.receive(this.#port, text) ?? {};
    if (isNotice(method)) this.#notice({ method, params } as ViewNotice);
    else if (method === "gateway/progress") {
      this.progress = params as Progress;
      this.onprogress?.(this.progress);
    } else if (isHeard(method)) this.#listeners.notify(method, recordOf(params));
  }

  /** @internal An entry of a conversation changed: it may be the call that this view shows. */
  changed(conversation: string, item: ConversationItem): void {
    const { call } = this.#opened;
    const { id, result } = item as CallItem;
    if (result && call?.item === id && call.conversation === conversation)
      this.#notice({ method: "ui/notifications/tool-result", params: result });
  }

  /** @internal The gateway has dropped it: new requests wait until it is reopened. */
  waits(): void {
    this.#port.channel = undefined;
  }

  /**
   * @internal The gateway has reopened the view under another id: the view repeats its unanswered requests.
   * Returns false if the view was closed meanwhile, or if another server has the name now, which gets nothing
   * of this view.
   */
  reopened(opened: OpenedView): boolean {
    const { input, result, cancelled, identity } = this.#opened;
    if (identity !== opened.identity) this.ended("another server has this name");
    this.#opened = { ...opened, input, result, cancelled };
    if (this.#port.ended !== undefined) return false;
    this.#catchUp(opened);
    this.#port.channel = opened.view;
    this.#calls.again(this.#port);
    // A failed resubscription is like one to a resource that never changes.
    for (const uri of this.#subscribed)
      this.#calls.request(this.#port, "resources/subscribe", { uri }, { isUrgent: true }).catch(() => {});
    this.onreopened?.();
    return true;
  }

  /** Catches up with notifications that were lost with the old channel. */
  #catchUp({ input, result, cancelled, call }: OpenedView): void {
    // A conversation's call continues without the page, and its result arrives on the new channel.
    if (this.#opened.input && !call) cancelled ??= "the answer was lost";
    if (input) this.#notice({ method: "ui/notifications/tool-input", params: { arguments: input } });
    if (result) this.#notice({ method: "ui/notifications/tool-result", params: result });
    if (cancelled !== undefined)
      this.#notice({ method: "ui/notifications/tool-cancelled", params: { reason: cancelled } });
  }

  /** @internal */
  ended(reason: string): void {
    this.#port.channel = undefined;
    this.#port.ended = reason;
    this.#calls.fail(reason, this.#port);
    this.onclosed?.(reason);
    this.onclosed = undefined;
  }

  #notice(notice: ViewNotice): void {
    const { method, params } = notice;
    // The gateway may repeat notifications.
    if (this.#isOver) return;
    const isInput = method === "ui/notifications/tool-input";
    if (isInput) {
      if (this.#opened.input) return;
      this.#opened.input = params.arguments;
    }
    if (method === "ui/notifications/tool-result") this.#result = params;
    this.#isOver = !method.includes("input");
    if (this.#isOver) this.progress = undefined;
    if (this.#onnotice) this.#onnotice(notice);
    // The input is in `opened`, which supersedes earlier ones.
    else if (isInput) this.#early = [];
    else this.#early.push(notice);
  }
}

const LARGE = 100_000;
const RESULT_NOTICE = '{"jsonrpc":"2.0","method":"ui/notifications/tool-result","params":';

/** The text of a large result, found like that of an answer: only the prefix differs. */
function largeResult(text: string): JsonText | undefined {
  const raw = resultText(`{"jsonrpc":"2.0","id":0,"result":${text.slice(RESULT_NOTICE.length)}`, 0);
  return raw === undefined ? undefined : new JsonText(raw);
}

const isNotice = (method: unknown): method is ViewNotice["method"] =>
  /^ui\/notifications\/tool-(input(-partial)?|result|cancelled)$/.test(method as string);
const isHeard = (method: unknown): method is UpstreamNotification =>
  /^notifications\/(\w+\/list_changed|resources\/updated)$/.test(method as string);
