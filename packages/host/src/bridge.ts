/**
 * The host end of one view.
 *
 * @module
 */

import {
  type AppDetails,
  type HostService,
  hostService,
  type ServiceNotification,
  type ServiceOptions,
  type ServiceRequest,
} from "@vitrine/guard";
import {
  type CallToolResult,
  diffHostContext,
  type Handler,
  type HostContext,
  type HostContextUpdate,
  type Implementation,
  INSTANCE_KEY,
  type JsonText,
  mergeHostContext,
  negotiateVersion,
  type Params,
  type RequestContext,
  type RequestOptions,
  type Result,
  VitrineError,
} from "@vitrine/protocol";
import type { BridgeTransport } from "./bridge-transport.js";
import { HostChannel, type HostChannelOptions } from "./host-channel.js";

/** Options of a {@link Bridge}. */
export interface BridgeOptions
  extends HostChannelOptions,
    Pick<ServiceOptions, "upstream" | "handlers" | "guard" | "server" | "details"> {
  /** The host's name and version. */
  info: Implementation;
  /** What the view should know of where it runs; see {@link Bridge.setContext}. */
  context?: HostContext | undefined;
  /** The name of this view, the same after a remount; made up by default. */
  instance?: string | undefined;
}

/**
 * The host end of one view, over any transport: handshake, order, limits, context, and an answer to everything that
 * the view asks. Send at any time; what the view must not hear yet waits (L11), and a view that begins anew hears
 * it again. Nothing is written to the console (D22).
 *
 * @example
 * ```ts source="./bridge.examples.ts#bridge"
 * const bridge = new Bridge({
 *   info,
 *   upstream,
 *   guard: standardGuard(upstream),
 *   context: { theme: "dark", displayMode: "inline", availableDisplayModes: ["inline", "fullscreen"] },
 *   handlers: { openLink: ({ url }) => show(`open ${url}?`) },
 * });
 * bridge.on("failed", ({ message }) => show(message));
 * bridge.open(transport);
 * const input = { city: "Rome" };
 * bridge.sendToolInput(input);
 * const result = await upstream.request("tools/call", { name: "forecast", arguments: input });
 * bridge.sendToolResult(result);
 * // Whenever it is:
 * bridge.updateContext({ theme: "light" });
 * // Before the frame goes:
 * await bridge.teardown("the conversation was closed");
 * ```
 */
export class Bridge extends HostChannel {
  /** The name of this view, the same after a remount. */
  readonly instance: string;
  readonly #options: BridgeOptions;
  readonly #service: HostService;
  #context: HostContext;
  #leave: (() => void) | undefined;

  constructor(options: BridgeOptions) {
    super(options);
    this.#options = options;
    // Not `randomUUID`, which pages without TLS do not have.
    this.instance = options.instance ?? crypto.getRandomValues(new Uint32Array(4)).join("-");
    this.#context = this.#named(options.context);
    const { peer } = this;
    this.#service = hostService({
      ...options,
      view: this.instance,
      context: () => this.#context,
      viewModes: () => this.app?.appCapabilities.availableDisplayModes,
      onreport: (error) => this.emit("report", error),
      onmode: (displayMode) => this.updateContext({ displayMode }),
      onnotice: (handler, params) =>
        this.emit(handler === "requestTeardown" ? "teardown-requested" : handler, params as never),
    });
    for (const [method, handler] of Object.entries(this.#service.requests)) {
      peer.handle(method as ServiceRequest, handler as Handler<ServiceRequest, RequestContext>);
    }
    for (const [method, listener] of Object.entries(this.#service.notifications)) {
      peer.on(method as ServiceNotification, listener);
    }
    peer.on("notifications/tools/list_changed", (params) => this.emit("tools-changed", params));
    this.on("closed", () => this.#end());
  }

  get context(): HostContext {
    return this.#context;
  }

  #named(context?: HostContext): HostContext {
    return { [INSTANCE_KEY]: this.instance, ...context };
  }

  protected greet({ protocolVersion: asked }: AppDetails): Result<"ui/initialize"> {
    // A reloaded document does not inherit the subscriptions of the document before it.
    this.#service.close();
    const protocolVersion = negotiateVersion(asked);
    if (protocolVersion !== asked) {
      // D14: noticed, not refused: what both know still works.
      const message = `the view asked for revision ${asked.slice(0, 40)}, not ${protocolVersion}`;
      this.emit("report", new VitrineError("unsupported", message));
    }
    const logging = this.heard("log") && { logging: {} };
    return {
      protocolVersion,
      hostInfo: this.#options.info,
      hostCapabilities: { ...this.#service.capabilities, ...logging },
      hostContext: this.#context,
    };
  }

  override open(transport: BridgeTransport): this {
    super.open(transport);
    // D3, D4: every bridge has a listener of its own, and takes only that one with it.
    this.#leave = this.#options.upstream?.listen((method, params) => {
      if (method === "notifications/resources/updated" && !this.#service.hears(params.uri)) return;
      this.quietly(() => this.tell(method, params as { uri: string }));
    });
    return this;
  }

  override detach(): void {
    super.detach();
    this.#end();
  }

  /** Nobody is there whom the server's words could reach. */
  #end(): void {
    this.#leave?.();
    this.#service.close();
  }

  /** Sends the arguments so far, while the model still writes them (L05). */
  sendToolInputPartial(input: Record<string, unknown>): void {
    this.tell("ui/notifications/tool-input-partial", { arguments: input });
  }

  /** Sends the complete arguments, once (L04). */
  sendToolInput(input: Record<string, unknown> = {}): void {
    this.tell("ui/notifications/tool-input", { arguments: input });
  }

  /** Sends what the tool call came to, errors included (L06). */
  sendToolResult(result: CallToolResult | JsonText): void {
    const { guard } = this.#options;
    if (typeof guard === "function") guard.learn?.(result);
    this.tell("ui/notifications/tool-result", result as CallToolResult);
  }

  /** Says that there will be no result (L07). */
  sendToolCancelled(reason?: string): void {
    this.tell("ui/notifications/tool-cancelled", { reason });
  }

  /**
   * Replaces the context. The view hears what changed and what is gone (X02, D11), if anything. May be called at
   * any time, before the view is there too (D20).
   */
  setContext(context: HostContext): void {
    const before = this.#context;
    this.#context = this.#named(context);
    // Official views refuse `null` for a key that is gone; text has nothing else (D11).
    const update = diffHostContext(before, this.#context, this.isText) as HostContext | undefined;
    if (update) this.quietly(() => this.tell("ui/notifications/host-context-changed", update));
  }

  /** Changes some keys of the context; `null` removes one. */
  updateContext(update: HostContextUpdate): void {
    this.setContext(mergeHostContext(this.#context, update));
  }

  /**
   * Runs a function that sends something. An error is returned, and goes to the `report` listeners, instead of being
   * thrown: for code that must not throw, such as an effect of a UI framework.
   *
   * @example
   * ```ts source="./bridge.examples.ts#attempt"
   * const error = bridge.attempt((to) => to.sendToolResult(result));
   * if (error?.code === "closed") show("The app was closed before the tool answered.");
   * ```
   */
  attempt(send: (bridge: this) => void): VitrineError | undefined {
    try {
      send(this);
      return undefined;
    } catch (thrown) {
      const error =
        thrown instanceof VitrineError
          ? thrown
          : new VitrineError("send-failed", `${thrown}`, { cause: thrown });
      this.emit("report", error);
      return error;
    }
  }

  /** Asks the view whether it is there (L10). */
  async ping(options?: RequestOptions): Promise<void> {
    await this.ask("ping", {}, options);
  }

  /** Sends the view a request about the tools that it offers; `AppTools` does so with limits. */
  request<M extends "tools/call" | "tools/list">(
    method: M,
    params: Params<M>,
    options?: RequestOptions,
  ): Promise<Result<M>> {
    return this.ask(method, params, options);
  }
}
