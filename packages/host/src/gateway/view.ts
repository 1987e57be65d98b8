/**
 * A view that a gateway knows, as the page sees it.
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
import { JsonText, type Progress, type Result } from "@vitrine/protocol";
import type { GatewayRequests, OpenedView } from "@vitrine/wire";
import type { Calls, Port } from "./calls.js";
import { viewGuard } from "./view-guard.js";

/** What a view hears of the call that it shows: pass it to its bridge. */
export type ViewNotice =
  | { method: "ui/notifications/tool-input-partial"; params: { arguments: Record<string, unknown> } }
  | { method: "ui/notifications/tool-input"; params: { arguments: Record<string, unknown> } }
  | { method: "ui/notifications/tool-result"; params: Result<"tools/call"> | JsonText }
  | { method: "ui/notifications/tool-cancelled"; params: { reason?: string } };

/** What a view asks of its gateway. */
interface ViewHome {
  cancel(view: string): Promise<GatewayRequests["gateway/cancel"]["result"]>;
  close(view: GatewayView): Promise<void>;
}

/**
 * A view on a gateway: what its `Bridge` needs, and what comes for it.
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
 * // `view.opened.place` says where the frame's document is.
 * ```
 */
export class GatewayView {
  readonly #calls: Calls;
  readonly #port: Port;
  readonly #home: ViewHome;
  readonly #listeners = new Set<Parameters<Upstream["listen"]>[0]>();
  readonly #subscribed = new Set<string>();
  #opened: OpenedView;
  #early: ViewNotice[] = [];
  #result: Result<"tools/call"> | JsonText | undefined;
  /** The call that it shows has ended. */
  #isOver: boolean;
  #onnotice: ((notice: ViewNotice) => void) | undefined;
  /** The view is gone: it was closed, or the gateway could not open it again. Told once. */
  onclosed: ((reason: string) => void) | undefined;
  /** The gateway had forgotten it, and has opened it again: {@link opened} is new. What is shown stays as it is. */
  onreopened: (() => void) | undefined;
  /** What the server said last of the call that the view shows, while it is under way. */
  progress: Progress | undefined;
  /** Hears each {@link progress}. Its message is the server's: show it as text. */
  onprogress: ((progress: Progress) => void) | undefined;
  /**
   * Its name in this page: for `new Bridge({ instance })`, so that questions find its frame. Unlike the gateway's own
   * name for it, it stays the same when the gateway was restarted.
   */
  readonly id: string;
  /** The view's own server, for `new Bridge({ upstream, guard })`. */
  readonly upstream: Upstream;
  /** What the view's calls pass first, for `new Bridge({ upstream, guard })`. The rules are the gateway's. */
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
      listen: (listener) => {
        const own: typeof listener = (method, heard) => listener(method, heard);
        this.#listeners.add(own);
        return () => this.#listeners.delete(own);
      },
    };
  }

  /** What the gateway said of it: where it is shown, its tool, and the call as far as it had come. */
  get opened(): OpenedView {
    return this.#opened;
  }

  /** What the call that the view shows has come to, if it has. */
  get result(): Result<"tools/call"> | JsonText | undefined {
    return this.#result ?? this.#opened.result;
  }

  /**
   * Hears of the call that the view shows, after what {@link opened} has of it. What came before there was a listener is kept for
   * it; the input is in `opened` then.
   */
  set onnotice(listener: ((notice: ViewNotice) => void) | undefined) {
    this.#onnotice = listener;
    if (listener) for (const notice of this.#early.splice(0)) listener(notice);
  }

  /**
   * Takes back the call that the view shows: the server is told, and the view hears that it was cancelled. Resolves with
   * whether there was one to take back: it may be over.
   */
  async cancel(): Promise<boolean> {
    return (await this.#home.cancel(this.#opened.view)).cancelled;
  }

  /** Tells the gateway that the view is gone; what it waits for is given up. */
  close(): Promise<void> {
    return this.#home.close(this);
  }

  /** @internal Takes a message of the view's channel. */
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
    } else if (isHeard(method)) {
      for (const listener of [...this.#listeners]) {
        void (async () => listener(method, Object(params) as Record<string, unknown>))();
      }
    }
  }

  /** @internal The gateway does not know it any more: what is asked now waits until it is opened again. */
  waits(): void {
    this.#port.channel = undefined;
  }

  /**
   * @internal The gateway has opened the view again, under another id: the view repeats its unanswered requests. Returns
   * false if the view was closed meanwhile, or if another server has the name now, which gets nothing of this view.
   */
  reopened(opened: OpenedView): boolean {
    const { input, result, cancelled, identity } = this.#opened;
    if (identity !== opened.identity) this.ended("another server has this name");
    this.#opened = { ...opened, input, result, cancelled };
    if (this.#port.ended !== undefined) return false;
    this.#catchUp(opened);
    this.#port.channel = opened.view;
    this.#calls.again(this.#port);
    // A subscription that cannot be had again is like one to a resource that never changes.
    for (const uri of this.#subscribed) this.upstream.request("resources/subscribe", { uri }).catch(() => {});
    this.onreopened?.();
    return true;
  }

  /** Hears what was said of its call on the old channel, or would have been. */
  #catchUp({ input, result, cancelled, call }: OpenedView): void {
    // A call of a conversation goes on without the page, and its answer comes on the new channel.
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
    // The gateway may say again what this page has heard.
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
    // The input is found in `opened`, and what came before it is in it.
    else if (isInput) this.#early = [];
    else this.#early.push(notice);
  }
}

const LARGE = 100_000;
const RESULT_NOTICE = '{"jsonrpc":"2.0","method":"ui/notifications/tool-result","params":';

/** The text of a large result, found as that of an answer is: the two differ in what stands before. */
function largeResult(text: string): JsonText | undefined {
  const raw = resultText(`{"jsonrpc":"2.0","id":0,"result":${text.slice(RESULT_NOTICE.length)}`, 0);
  return raw === undefined ? undefined : new JsonText(raw);
}

const isNotice = (method: unknown): method is ViewNotice["method"] =>
  /^ui\/notifications\/tool-(input(-partial)?|result|cancelled)$/.test(method as string);
const isHeard = (method: unknown): method is UpstreamNotification =>
  /^notifications\/(\w+\/list_changed|resources\/updated)$/.test(method as string);
