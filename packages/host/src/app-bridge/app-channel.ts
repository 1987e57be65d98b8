/**
 * The channel of an `AppBridge` to one view: it is open to methods of extensions, and passes every message of the view
 * through the guard.
 *
 * @module
 */
import {
  type AppDetails,
  type HostHandlers,
  type HostService,
  hostService,
  type Link,
  type ServiceNotification,
  type ServiceOptions,
  type ServiceRequest,
  type Upstream,
  type ViewCall,
} from "@vitrine/guard";
import {
  type DisplayMode,
  diffHostContext,
  type Handler,
  HOST_END,
  type HostContext,
  type LifecycleLimits,
  type Params,
  type RequestContext,
  type RequestFrom,
  type RequestOptions,
  type Result,
  recordOf,
} from "@vitrine/protocol";
import type { BridgeTransport } from "../bridge-transport.js";
import { HostChannel } from "../host-channel.js";

/** Answers a request of a view. */
export type AppHandler = (params: Record<string, unknown>, context: RequestContext) => unknown;

/** Options of a {@link AppChannel}. */
export interface AppChannelOptions {
  greet: (app: AppDetails) => Result<"ui/initialize">;
  context: () => HostContext;
  limits: Partial<LifecycleLimits>;
  upstream: Upstream;
  handlers: HostHandlers;
  guard: Link | "behind-upstream";
  /** Guards what is not of the specification. */
  guardOfExtensions: Link;
  /** Called at the end: nobody else needs the guard. */
  release?: (() => void) | undefined;
  onnotice: NonNullable<ServiceOptions["onnotice"]>;
  onmode: (mode: DisplayMode) => void;
  /** The handler of a request that is not of the specification, if there is one. */
  extension: (method: string) => AppHandler | undefined;
  /** Called with the notifications that no feature of the bridge handles. */
  onnotification: (method: string, params: object) => void;
  /** Called for each request before it is handled. */
  onrequest: (method: string, params: Record<string, unknown>, context: RequestContext) => void;
}

const ALL_MODES: DisplayMode[] = ["inline", "fullscreen", "pip"];

export class AppChannel extends HostChannel {
  readonly #options: AppChannelOptions;
  readonly #service: HostService;
  readonly #view = crypto.getRandomValues(new Uint32Array(4)).join("-");
  #leave: (() => void) | undefined;

  constructor(options: AppChannelOptions) {
    super(options);
    this.#options = options;
    this.#service = hostService({
      ...options,
      view: this.#view,
      // A host that does not name its modes has those that its handler grants.
      context: () => ({ availableDisplayModes: ALL_MODES, ...options.context() }),
      viewModes: () => this.app?.appCapabilities.availableDisplayModes,
      onreport: (error) => this.emit("report", error),
    });
    const { peer } = this;
    for (const [method, answer] of Object.entries(this.#service.requests)) {
      const handler: AppHandler = (params, context) => {
        options.onrequest(method, params, context);
        return answer(params, context);
      };
      peer.handle(method as ServiceRequest, handler as Handler<ServiceRequest, RequestContext>);
    }
    peer.handle("ping", (params, context) => {
      options.onrequest("ping", params, context);
      return {};
    });
    for (const [method, listener] of Object.entries(this.#service.notifications)) {
      peer.on(method as ServiceNotification, listener);
    }
    peer.onnotification = (method, params) => {
      // The channel and the service handle these.
      if (
        /\/(initialized|cancelled|progress)$/.test(method) ||
        Object.hasOwn(this.#service.notifications, method)
      )
        return;
      this.#guard(method, params as Record<string, unknown>, async () =>
        options.onnotification(method, params),
      ).catch((error) => this.emit("report", error));
    };
    this.on("closed", () => this.#end());
  }

  get context(): HostContext {
    return this.#options.context();
  }

  protected greet(app: AppDetails): Result<"ui/initialize"> {
    // A reloaded document does not inherit the previous document's subscriptions.
    this.#service.close();
    return this.#options.greet(app);
  }

  override open(transport: BridgeTransport): this {
    super.open(transport);
    this.#leave = this.#options.upstream.listen((method, params) => {
      if (method === "notifications/resources/updated" && !this.#service.isSubscribedTo(params["uri"]))
        return;
      this.quietly(() => this.tell(method, params as { uri: string }));
    });
    return this;
  }

  /** Requests of extensions get their handler for the moment, so that a view cannot add many. */
  protected override pass(message: unknown, deliver: (message: unknown) => void): void {
    const { method, id } = recordOf(message);
    const isForeign =
      typeof method === "string" && id !== undefined && !Object.hasOwn(HOST_END.requests, method);
    const answer = isForeign && this.#options.extension(method);
    const remove =
      answer &&
      this.peer.handle(
        method as "ping",
        ((params: never, context: RequestContext) =>
          this.#guard(method, params, () => answer(params, context), context.signal)) as never,
      );
    super.pass(message, deliver);
    if (remove) remove();
  }

  #guard(
    method: string,
    params: Record<string, unknown>,
    next: () => unknown,
    signal?: AbortSignal,
  ): Promise<never> {
    const { server } = this.#options.upstream;
    const call: ViewCall = { view: this.#view, server, method: method as "ping", params, signal };
    return this.#options.guardOfExtensions(call, async () => next()) as Promise<never>;
  }

  #end(): void {
    this.#leave?.();
    this.#service.close();
    this.#options.release?.();
  }

  /** Sends the difference between two contexts, if any. */
  tellChange(before: HostContext, after: HostContext): void {
    const update = diffHostContext(before, after, this.isText) as HostContext | undefined;
    if (update) this.quietly(() => this.tell("ui/notifications/host-context-changed", update));
  }

  /** Sends a notification, now or when the view is ready. */
  notify(method: string, params: object): void {
    this.tell(method as "ui/notifications/tool-input", params as Params<"ui/notifications/tool-input">);
  }

  /** Sends a request, now or when the view is ready. */
  request(method: string, params: object, options?: RequestOptions): Promise<object> {
    return this.ask(method as RequestFrom<"host">, params as never, options);
  }
}
