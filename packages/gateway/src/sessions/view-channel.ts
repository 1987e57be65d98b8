/**
 * The channel of a view: its requests pass through the guard to its server.
 *
 * @module
 */
import { setTimeout as wait } from "node:timers/promises";
import { isRefusal, type UpstreamMethod, type UpstreamNotification } from "@vitrine/guard";
import {
  INVALID_REQUEST,
  type Params,
  type Progress,
  type RequestId,
  recordOf,
  VitrineError,
} from "@vitrine/protocol";
import { membersOf, type ServerIdentity } from "@vitrine/servers";
import { GatewayError, type OpenedView } from "@vitrine/wire";
import type { SamplingService } from "../asks/index.js";
import { SAMPLING_METHOD } from "../config/policy-key.js";
import { isByThePage } from "../guard/allow-list.js";
import type { GuardedCall } from "../guard/guarded-call.js";
import type { GuardedServer, GuardedServers } from "../guard/guarded-servers.js";
import { traceparentIn } from "../guard/trace.js";
import { BoundedSubscriptions } from "./bounded-subscriptions.js";
import { headOf, isTooComplex, tooComplex } from "./complexity.js";
import { MAX_MESSAGE } from "./message-size.js";
import { PacedNotices, type PacedNoticesOptions } from "./paced-notices.js";
import { withoutToken } from "./progress-token.js";
import { restoreSubscriptions } from "./restore-subscriptions.js";
import { errorMessage, isId, keyOf, notificationMessage, parse, resultMessage } from "./rpc.js";

/** Options of {@link ViewChannel}. */
export interface ViewChannelOptions extends PacedNoticesOptions {
  /** The view as the page knows it. */
  readonly opened: OpenedView;
  readonly user: string;
  readonly at: GuardedServer;
  /** Asks the model. */
  readonly sampling: Pick<SamplingService, "fromView">;
  /** Sends a message to the page on this view's channel. */
  send(text: string): void;
  /** Maximum characters of such a message; {@link MAX_MESSAGE} by default. */
  readonly messageLimit?: number | undefined;
  /** Records a request that reached no guard. */
  refused(call: GuardedCall, error: VitrineError, identity: ServerIdentity | undefined): Promise<void>;
  /** Refuses a call that reached no guard; see {@link GuardedServers.refuse}. */
  readonly refuse: GuardedServers["refuse"];
  /** Called with errors that the view does not see. */
  onerror(error: unknown): void;
}

/** Maximum pending requests of a view; the guard's own limits are lower. */
const MAX_OPEN = 1000;

/** Texts that replace a notification that is too large for a page, by kind. */
const TOO_LARGE = new Map([
  ["input", "the arguments of the call are too large to be shown"],
  ["call", "the call has run, but its result is too large to be shown"],
]);

/** Average milliseconds by which answers are delayed for a view that exceeds its rate limit. */
const HOLD = 1000;

interface Asked {
  readonly id: RequestId;
  readonly method: string;
  readonly params: unknown;
  readonly paramsText: string | undefined;
  readonly mayBeOld: boolean;
  readonly trace: string;
}

/** A view of a page. */
export class ViewChannel {
  readonly opened: OpenedView;
  readonly #options: ViewChannelOptions;
  readonly #open = new Map<RequestId, AbortController>();
  readonly #notices: PacedNotices;
  #at: GuardedServer;
  #subscriptions: BoundedSubscriptions;
  /** Subscriptions at an earlier server that are not restored yet. */
  #unrestored = new Set<string>();
  #left = new AbortController();
  #stop: () => void;
  #isOrphan = false;
  #closed = false;

  constructor(options: ViewChannelOptions) {
    this.#options = options;
    this.#notices = new PacedNotices(options);
    this.opened = options.opened;
    this.#at = options.at;
    [this.#subscriptions, this.#stop] = this.#listen();
  }

  get view(): string {
    return this.opened.view;
  }

  /** Moves to the server with new settings. Pending requests to the old one end there. */
  move(at: GuardedServer): void {
    if (this.#closed || at.server === this.#at.server) return;
    const uris = new Set([...this.#unrestored, ...this.#subscriptions.uris]);
    this.#leave();
    this.#isOrphan = false;
    this.#at = at;
    [this.#subscriptions, this.#stop] = this.#listen();
    this.#restore(uris);
  }

  #restore(uris: Set<string>): void {
    const { server, guard } = this.#at;
    const subscriptions = this.#subscriptions;
    const { signal } = (this.#left = new AbortController());
    this.#unrestored = uris;
    void restoreSubscriptions({
      uris,
      server,
      signal,
      // The new settings may refuse what the old ones allowed.
      subscribe: (uri) =>
        guard.pass({ ...this.#call("resources/subscribe", { uri }), signal }, () =>
          subscriptions.add(uri, signal),
        ),
      onrestored: (uri) => this.#notify("notifications/resources/updated", { uri }),
      onerror: this.#options.onerror,
    });
  }

  /** The view was reloaded with its page, so it has no subscriptions. */
  renewed(): void {
    this.#unrestored.clear();
    this.#subscriptions.clear();
  }

  /** Detaches the view from a removed server, which may return. */
  orphan(): void {
    this.#isOrphan = true;
  }

  #listen(): [BoundedSubscriptions, () => void] {
    const { upstream } = this.#at.server;
    const subscriptions = new BoundedSubscriptions(upstream);
    const stop = upstream.listen((method, params) => {
      if (method === "notifications/resources/updated" && !subscriptions.isSubscribedTo(params["uri"]))
        return;
      this.#notify(method, params);
    });
    return [subscriptions, stop];
  }

  #notify(method: UpstreamNotification, params: Record<string, unknown>): void {
    this.notify(`${method} ${params["uri"] ?? ""}`, notificationMessage(method, params));
  }

  #leave(): void {
    this.#left.abort();
    this.#stop();
    this.#subscriptions.clear();
    this.#at.guard.closeView(this.view);
  }

  /** Sends a notification. While the page is slow, only the latest one of each `kind` is kept for later. */
  notify(kind: string, text: string): void {
    if (this.#closed) return;
    const { messageLimit = MAX_MESSAGE } = this.#options;
    const reason = text.length > messageLimit ? TOO_LARGE.get(kind) : undefined;
    if (reason === undefined) this.#notices.notify(kind, text);
    else this.#notices.notify("call", notificationMessage("ui/notifications/tool-cancelled", { reason }));
  }

  /** Sends the input and the outcome of its call again, to a page that got the view without them. */
  notifyCall(): void {
    const { input, result, cancelled } = this.opened;
    if (input) this.notify("input", notificationMessage("ui/notifications/tool-input", { arguments: input }));
    if (result) this.notify("call", notificationMessage("ui/notifications/tool-result", result));
    if (cancelled !== undefined)
      this.notify("call", notificationMessage("ui/notifications/tool-cancelled", { reason: cancelled }));
  }

  /** Sends delayed notifications, because the page reads again. */
  resume(): void {
    this.#notices.resume();
  }

  /**
   * Handles a message of the page on this channel. `mayBeOld`: it may have started in an earlier gateway
   * process.
   */
  receive(text: string, mayBeOld = false): void {
    if (isTooComplex(text)) {
      this.#refuseWhole(headOf(text)).catch(this.#options.onerror);
      return;
    }
    const { id, method, params = {}, result, error } = parse(text);
    if (typeof method !== "string") {
      // The gateway sends no requests to views, so a message that looks like a response is invalid.
      if (isId(id) && result === undefined && error === undefined)
        this.#options.send(errorMessage(id, notRequest()));
    } else if (!isId(id)) this.#hear(method, recordOf(params));
    else {
      const paramsText = paramsTextOf(text);
      this.#answer({ id, method, params, paramsText, mayBeOld, trace: traceparentIn(params) }).catch(
        this.#options.onerror,
      );
    }
  }

  /** Messages that are too complex to parse are recorded as well. */
  async #refuseWhole(head: ReturnType<typeof headOf>): Promise<void> {
    const { user, send, refused } = this.#options;
    const error = tooComplex();
    const { name } = this.#at.server.settings;
    const call = { actor: "view" as const, user, view: this.view, server: name, params: {} };
    await refused({ ...call, method: head?.method ?? "" }, error, this.opened.identity);
    if (head) send(errorMessage(head.id, error));
  }

  async #answer(asked: Asked): Promise<void> {
    const { id, method } = asked;
    const { send, onerror, messageLimit } = this.#options;
    if (this.#open.has(id) || this.#open.size >= MAX_OPEN) {
      const why = this.#open.has(id) ? `the id ${id} is in use` : "too many requests are pending";
      return send(errorMessage(id, new VitrineError(INVALID_REQUEST, why)));
    }
    const controller = new AbortController();
    this.#open.set(id, controller);
    let answer: string;
    try {
      const result = await this.#ask(asked, controller.signal);
      answer = resultMessage(id, result, method === "tools/call", messageLimit);
    } catch (error) {
      onerror(error);
      answer = errorMessage(id, error, asked.trace);
      // The answer to a view that exceeds its rate is delayed: a view that retries at once would keep
      // everybody busy with refusals.
      if (isRefusal(error) && error.data.code === "rate-limited") await pause(controller.signal);
    } finally {
      this.#open.delete(id);
    }
    // A cancelled request is not answered.
    if (!controller.signal.aborted) send(answer);
  }

  #ask({ id, method, params, paramsText, mayBeOld, trace }: Asked, signal: AbortSignal): Promise<unknown> {
    const { user } = this.#options;
    const { server, guard } = this.#at;
    const subscriptions = this.#subscriptions;
    // The guard refuses and records params that are not an object.
    const { token, rest } = withoutToken(params as Record<string, unknown>);
    const call = {
      view: this.view,
      server: server.settings.name,
      method,
      params: rest,
      paramsText,
      signal,
      actor: "view" as const,
      user,
      key: keyOf(id),
      mayBeOld,
      trace,
    };
    if (this.#isOrphan) return this.#refuse(call);
    if (isByThePage(method)) return guard.permit(call);
    if (method === SAMPLING_METHOD) return this.#options.sampling.fromView(guard, call);
    const onprogress =
      token === undefined
        ? undefined
        : (progress: Progress) => !this.#closed && this.#notices.progress(token, progress);
    return guard.pass(call, async (passed) => {
      const { uri } = passed.params as { uri: string };
      if (method.endsWith("subscribe")) this.#unrestored.delete(uri);
      if (method === "resources/subscribe") return subscriptions.add(uri, signal);
      if (method === "resources/unsubscribe") return subscriptions.remove(uri);
      return server.upstream.request(method as UpstreamMethod, passed.params as Params<UpstreamMethod>, {
        signal,
        onprogress,
      });
    });
  }

  async #refuse(call: GuardedCall): Promise<unknown> {
    const message = `the server "${call.server}" of this app no longer exists`;
    const error = new GatewayError("server-unknown", message);
    try {
      return await this.#options.refuse(call, error);
    } catch (reported) {
      if (reported === error) await this.#options.refused(call, error, this.opened.identity);
      throw reported;
    }
  }

  #hear(method: string, params: Record<string, unknown>): void {
    if (method === "gateway/outcome") this.#outcome(params);
    const { requestId } = params;
    if (method === "notifications/cancelled" && isId(requestId)) this.#open.get(requestId)?.abort();
    if (/^(gateway\/outcome|notifications\/cancelled)$/.test(method)) return;
    // Recorded as a log message of that view, without any other effect.
    this.#at.guard.pass(this.#call(method, params), async () => ({})).catch(this.#options.onerror);
  }

  #call(method: string, params: Record<string, unknown>): GuardedCall {
    const { user } = this.#options;
    return { view: this.view, server: this.#at.server.settings.name, method, params, actor: "view", user };
  }

  #outcome({ permit, outcome, code }: Record<string, unknown>): void {
    if (typeof permit !== "number" || !/^(ok|failed|cancelled)$/.test(`${outcome}`)) return;
    this.#at.guard.outcome(this.view, permit, {
      outcome: outcome as "ok" | "failed" | "cancelled",
      ...(typeof code === "string" && { code: code.slice(0, 100) }),
    });
  }

  /** Ends pending requests, and stops listening to the server. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const controller of this.#open.values()) controller.abort();
    this.#notices.clear();
    this.#leave();
  }
}

/**
 * The original text of the params. Undefined if they occur twice, because the record must show the ones that
 * count.
 */
export function paramsTextOf(text: string): string | undefined {
  const at = membersOf(text)?.get("params");
  return at && text.slice(...at);
}

/** The error for a channel without a view. */
export const unknownView = (view: string): GatewayError =>
  new GatewayError("view-unknown", `this session has no view "${view}": open it again`);

const pause = (signal: AbortSignal): Promise<void> =>
  // Randomized, so that retries do not arrive at the same moment.
  wait(HOLD * (0.5 + Math.random()), undefined, { signal, ref: false }).catch(() => {});
const notRequest = (): VitrineError => new VitrineError(INVALID_REQUEST, "this is not a JSON-RPC request");
