/**
 * Tool calls of a page: with an answer, or shown in one of its views.
 *
 * @module
 */
import type { CallToolResult, JsonText, Progress } from "@vitrine/protocol";
import { type ServerIdentity, showableResult } from "@vitrine/servers";
import { GatewayError } from "@vitrine/wire";
import type { GuardedCall } from "../guard/guarded-call.js";
import type { GuardedServer, GuardedServers } from "../guard/guarded-servers.js";
import type { PageEnd } from "./page-end.js";
import type { PageRequest } from "./page-params.js";
import { isUnexpected } from "./rpc.js";
import { ShownCall } from "./shown-call.js";
import { SmallMap } from "./small-map.js";
import type { ViewChannel } from "./view-channel.js";

/** Options of {@link PageCalls}. */
export interface PageCallsOptions {
  readonly user: string;
  /** Passes a call through the guard of its server; see {@link GuardedServers.pass}. */
  readonly pass: GuardedServers["pass"];
  /** Refuses a call that reached no guard; see {@link GuardedServers.refuse}. */
  readonly refuse: GuardedServers["refuse"];
  /** Called with errors that the page does not see in full. */
  onerror(error: unknown): void;
}

/** A call on behalf of the model or the user. */
export interface PageToolCall {
  readonly server: string;
  readonly tool: string;
  readonly input: Record<string, unknown>;
  readonly request: Pick<PageRequest, "key" | "signal" | "mayBeOld" | "onprogress"> &
    Partial<Pick<PageRequest, "trace">>;
  /** The view that shows the call. */
  readonly view?: string | undefined;
  /** The server's identity, if the page means a certain one. */
  readonly identity?: ServerIdentity | undefined;
}

/** Makes the calls of a page, and remembers those that its views show while they run. */
export class PageCalls {
  readonly #options: PageCallsOptions;
  readonly #ended: Pick<PageEnd, "signal">;
  readonly #shown = new SmallMap<string, ShownCall>();

  constructor(options: PageCallsOptions, ended: Pick<PageEnd, "signal">) {
    this.#options = options;
    this.#ended = ended;
  }

  async call(call: PageToolCall): Promise<CallToolResult | JsonText> {
    const { onprogress } = call.request;
    const result = await this.#options.pass(this.#guarded(call), ({ server }, { params, signal }) =>
      server.upstream.request("tools/call", params as { name: string }, { signal, onprogress }),
    );
    return result as CallToolResult | JsonText;
  }

  /**
   * Reports that the view of a call cannot be opened. The call itself may have run before the gateway was
   * restarted.
   */
  async cannotShow(call: PageToolCall, error: unknown): Promise<never> {
    await this.#options.refuse(this.#guarded(call), error);
    throw new GatewayError("indeterminate", "the call ran before, and its view can no longer be opened", {
      cause: error,
      data: { outcome: "ok", indeterminate: true },
    });
  }

  /** Makes a call that a view shows. The outcome is kept for a page that is reloaded meanwhile. */
  async show(view: ViewChannel, at: GuardedServer, call: PageToolCall): Promise<void> {
    const { view: id } = view.opened;
    const shown = new ShownCall(view, call.input);
    this.#shown.set(id, shown);
    try {
      const { key, mayBeOld, trace } = call.request;
      const signal = AbortSignal.any([this.#ended.signal, shown.signal]);
      const onprogress = (progress: Progress): void => shown.progress(progress);
      const server = at.server.settings.name;
      const request = { key, mayBeOld, signal, onprogress, trace };
      const result = showableResult(await this.call({ ...call, server, view: id, request }));
      if (shown.done(result)) at.guard.learn(result);
    } catch (error) {
      if (isUnexpected(error)) this.#options.onerror(error);
      shown.cancel(error instanceof Error ? error.message : "the call failed");
    } finally {
      this.#shown.delete(id);
    }
  }

  /** Cancels the call that a view shows. Returns whether it was running. */
  cancel(view: string, reason: string): boolean {
    return this.#shown.get(view)?.cancel(reason) ?? false;
  }

  #guarded({ server, tool, input, request, view = "", identity }: PageToolCall): GuardedCall {
    const { key, signal, mayBeOld, trace } = request;
    return {
      view,
      server,
      method: "tools/call",
      params: { name: tool, arguments: input },
      actor: "host",
      user: this.#options.user,
      signal,
      key,
      mayBeOld,
      identity,
      trace,
    };
  }
}
