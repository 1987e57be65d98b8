/**
 * The full runtime inside the iframe.
 *
 * @module
 */
import {
  type AppCapabilities,
  type CallToolResult,
  type HostCapabilities,
  type Implementation,
  type NotificationFrom,
  type Params,
  type Peer,
  type RequestOptions as PeerOptions,
  PROTOCOL_VERSION,
  type RequestFrom,
  type Result,
  type Transport,
  VitrineError,
  WindowTransport,
  type WindowTransportOptions,
} from "@vitrine/protocol";
import { AppPeer } from "./app-peer.js";
import {
  type AppToolCallback,
  type AppToolConfig,
  type AppToolContext,
  AppTools,
  type RegisteredAppTool,
} from "./app-tools.js";
import { adapt, type Message, type MessageSchema, type MethodName, nameOf } from "./custom-handlers.js";
import { type InferOutput, type StandardSchema, validate } from "./standard-schema.js";
import { ViewState } from "./state.js";
import { EVENTS, View, type ViewEvent, type ViewListener } from "./view.js";

type List = Params<"resources/list">;
/** Options of one request. */
export interface AppRequestOptions extends PeerOptions {
  /** Accepted for compatibility, but ignored: progress always restarts the timeout. */
  resetTimeoutOnProgress?: boolean | undefined;
  /**
   * Accepted for compatibility, but ignored. To limit the total time, pass `AbortSignal.timeout(ms)` as
   * `signal`.
   */
  maxTotalTimeout?: number | undefined;
}

/** Options of an app. */
export interface AppOptions {
  /** Report the content's size to the host; true by default. */
  autoResize?: boolean | undefined;
  /** Apply the host's theme, variables, fonts and safe areas to the document; true by default. */
  autoTheme?: boolean | undefined;
  /**
   * Accepted for compatibility, but ignored: requests wait for the handshake, and late handlers miss nothing.
   */
  strict?: boolean | undefined;
  /** Accepted for compatibility, but ignored: this runtime never needs `eval`. */
  allowUnsafeEval?: boolean | undefined;
}

/** The official SDK's name for a {@link WindowTransport} to the parent window. */
export class PostMessageTransport extends WindowTransport {
  constructor(target: Window = parent, _source?: unknown) {
    const options: Pick<WindowTransportOptions, "target"> = { target };
    super(options as WindowTransportOptions);
  }
}

/**
 * A view with all of MCP Apps, under the official SDK's names. To move a view here from that SDK, change only
 * the import.
 *
 * @example
 * ```ts source="./view.examples.ts#app"
 * const app = new App({ name: "weather", version: "1.0.0" });
 * app.ontoolinputpartial = ({ arguments: args }) => show(args?.city);
 * app.ontoolresult = ({ structuredContent }) => show(structuredContent);
 * app.onteardown = () => show("Goodbye.");
 * await app.connect();
 *
 * button.onclick = async () => {
 *   const { structuredContent } = await app.callServerTool({ name: "forecast", arguments: { days: 5 } });
 *   show(structuredContent);
 *   await app.updateModelContext({ content: [{ type: "text", text: "The user looks at the forecast." }] });
 * };
 * ```
 */
export class App extends View<AppRequestOptions> {
  readonly #peer: Peer<"view">;
  readonly #options: AppOptions;
  readonly #tools = new AppTools(() => this.#toolsChanged());
  /** The handlers of the `on…` properties, by event. */
  readonly #handlers: { [event: string]: ViewListener<ViewEvent> | undefined } = {};
  readonly #custom = new Map<string, () => void>();
  #notifyQueued = false;

  // Each event takes one `on…` handler and any number of listeners.
  declare ontoolinput: ViewListener<"toolinput"> | undefined;
  declare ontoolinputpartial: ViewListener<"toolinputpartial"> | undefined;
  declare ontoolresult: ViewListener<"toolresult"> | undefined;
  declare ontoolcancelled: ViewListener<"toolcancelled"> | undefined;
  declare onhostcontextchanged: ViewListener<"hostcontextchanged"> | undefined;
  static {
    for (const event in EVENTS) {
      Object.defineProperty(App.prototype, `on${event}`, {
        get(this: App) {
          return this.#handlers[event];
        },
        set(this: App, handler?: ViewListener<ViewEvent>) {
          this.#custom.get(event)?.();
          this.#handlers[event] = handler;
          // Wrapped, so that the same function can also be added as a listener.
          const own: ViewListener<ViewEvent> = (params) => handler?.(params);
          this.#custom.set(event, this.on(event as ViewEvent, own));
        },
      });
    }
  }

  /**
   * Runs before the host removes the view; the host waits for it. `params.reason` is the host's reason, if
   * given.
   */
  onteardown: ((params: Params<"ui/resource-teardown">, context: AppToolContext) => unknown) | undefined;
  /** Called for errors outside a request: a listener that threw, or an invalid message. */
  onerror: ((error: Error) => void) | undefined;
  /** Called when either side has closed the connection. */
  onclose: (() => void) | undefined;
  /** Answers the host's `tools/call` in place of the registered tools. */
  oncalltool:
    | ((params: Params<"tools/call">, context: AppToolContext) => CallToolResult | Promise<CallToolResult>)
    | undefined;
  /** Answers the host's `tools/list` in place of the registered tools. */
  onlisttools:
    | ((
        params: Params<"tools/list">,
        context: AppToolContext,
      ) => Result<"tools/list"> | Promise<Result<"tools/list">>)
    | undefined;

  /** The capabilities that the view announces in the handshake. */
  readonly capabilities: AppCapabilities;
  /** State that survives a remount of the view. */
  readonly state = new ViewState(() => this.getHostContext());

  constructor(appInfo: Implementation, capabilities: AppCapabilities = {}, options: AppOptions = {}) {
    const peer = new AppPeer();
    const own = { ...capabilities };
    super(appInfo, own, peer);
    this.#peer = peer;
    this.#options = options;
    if (options.autoTheme === false) this.applyContext = () => {};
    this.capabilities = own;
    const { onclose } = peer;
    // Without an `onerror` handler, errors of listeners are reported like uncaught errors in the DOM.
    peer.onreport = (error) => (this.onerror ? this.onerror(error) : error.cause && reportError(error.cause));
    peer.onclose = () => {
      onclose?.();
      this.onclose?.();
    };
    peer.handle("ui/resource-teardown", async (params, context) => {
      const result = await this.onteardown?.(params, context as AppToolContext);
      return typeof result === "object" ? { ...result } : {};
    });
    peer.offers = own;
    peer.handle("tools/list", (params, context) =>
      this.onlisttools ? this.onlisttools(params, context as AppToolContext) : this.#tools.list(),
    );
    peer.handle("tools/call", (params, context) => {
      const request = context as AppToolContext;
      if (this.oncalltool) return this.oncalltool(params, request);
      return this.#tools.call(params.name, params.arguments, request);
    });
  }

  /** Name and version of the host. Undefined before `connect`. */
  getHostVersion(): Implementation | undefined {
    return this.host.hostInfo;
  }
  /** Capabilities of the host. Undefined before `connect`. */
  getHostCapabilities(): HostCapabilities | undefined {
    return this.host.hostCapabilities;
  }

  override async connect(transport?: Transport, options?: AppRequestOptions): Promise<void> {
    await super.connect(transport, options);
    this.state.settle();
    const { protocolVersion } = this.host;
    if (protocolVersion !== PROTOCOL_VERSION) {
      // Another version is reported but not refused: everything that both versions define still works.
      this.onerror?.(new VitrineError("unsupported", `the host speaks ${protocolVersion}`));
    }
  }

  /** Closes the connection and removes every observer and listener from the document. */
  async close(): Promise<void> {
    this.#peer.close();
  }

  protected override watchSize(): () => void {
    return this.#options.autoResize === false ? () => {} : super.watchSize();
  }

  /** Same as {@link on}, under the DOM's name. */
  addEventListener<E extends ViewEvent>(event: E, listener: ViewListener<E>): void {
    this.on(event, listener);
  }
  removeEventListener<E extends ViewEvent>(event: E, listener: ViewListener<E>): void {
    this.#peer.on(EVENTS[event], listener as (params: object) => unknown)();
  }

  override callServerTool(
    params: Params<"tools/call">,
    options?: AppRequestOptions,
  ): Promise<Result<"tools/call">> {
    // Always request progress, so that a tool that is still working does not time out.
    return super.callServerTool(params, { onprogress: () => {}, ...options });
  }
  /** Lists the tools of the view's own server that the view may call. */
  listServerTools(params: List = {}, options?: AppRequestOptions): Promise<Result<"tools/list">> {
    return this.sendRequest("tools/list", params, options);
  }
  /** Reads a resource of the view's own server. */
  readServerResource(
    params: Params<"resources/read">,
    options?: AppRequestOptions,
  ): Promise<Result<"resources/read">> {
    return this.sendRequest("resources/read", params, options);
  }
  /** Lists the resources of the view's own server. */
  listServerResources(params: List = {}, options?: AppRequestOptions): Promise<Result<"resources/list">> {
    return this.sendRequest("resources/list", params, options);
  }
  /** Lists the resource templates of the view's own server. */
  listServerResourceTemplates(
    params: List = {},
    options?: AppRequestOptions,
  ): Promise<Result<"resources/templates/list">> {
    return this.sendRequest("resources/templates/list", params, options);
  }
  /** Subscribes to `notifications/resources/updated` of a resource; see {@link setNotificationHandler}. */
  subscribeServerResource(
    params: Params<"resources/subscribe">,
    options?: AppRequestOptions,
  ): Promise<Result<"resources/subscribe">> {
    return this.sendRequest("resources/subscribe", params, options);
  }
  /** Ends the subscription. */
  unsubscribeServerResource(
    params: Params<"resources/unsubscribe">,
    options?: AppRequestOptions,
  ): Promise<Result<"resources/unsubscribe">> {
    return this.sendRequest("resources/unsubscribe", params, options);
  }
  /** Lists the prompts of the view's own server. */
  listServerPrompts(params: List = {}, options?: AppRequestOptions): Promise<Result<"prompts/list">> {
    return this.sendRequest("prompts/list", params, options);
  }
  /** Gets a prompt of the view's own server, with its arguments filled in. */
  getServerPrompt(
    params: Params<"prompts/get">,
    options?: AppRequestOptions,
  ): Promise<Result<"prompts/get">> {
    return this.sendRequest("prompts/get", params, options);
  }

  /** Adds a message to the conversation as a user turn. */
  sendMessage(params: Params<"ui/message">, options?: AppRequestOptions): Promise<Result<"ui/message">> {
    return this.sendRequest("ui/message", params, options);
  }
  /** Tells the model what the view shows. The model gets the latest update with the user's next turn. */
  updateModelContext(
    params: Params<"ui/update-model-context">,
    options?: AppRequestOptions,
  ): Promise<Result<"ui/update-model-context">> {
    return this.sendRequest("ui/update-model-context", params, options);
  }
  /** Asks the host to open a link. `isError` in the result means that the host refused. */
  openLink(params: Params<"ui/open-link">, options?: AppRequestOptions): Promise<Result<"ui/open-link">> {
    return this.sendRequest("ui/open-link", params, options);
  }
  /** @deprecated Use {@link openLink}; this is the official SDK's old name for it. */
  sendOpenLink: App["openLink"] = this.openLink;
  /** Asks the host to save a file. `isError` in the result means that the host refused. */
  downloadFile(
    params: Params<"ui/download-file">,
    options?: AppRequestOptions,
  ): Promise<Result<"ui/download-file">> {
    return this.sendRequest("ui/download-file", params, options);
  }
  /** Asks for another display mode. The result is the mode now in force, whether or not it changed. */
  requestDisplayMode(
    params: Params<"ui/request-display-mode">,
    options?: AppRequestOptions,
  ): Promise<Result<"ui/request-display-mode">> {
    return this.sendRequest("ui/request-display-mode", params, options);
  }
  /** Asks the host's model for a completion. */
  createSamplingMessage(
    params: Params<"sampling/createMessage">,
    options?: AppRequestOptions,
  ): Promise<Result<"sampling/createMessage">> {
    return this.sendRequest("sampling/createMessage", params, options);
  }

  /** Sends any notification of the protocol to the host. */
  async sendNotification<M extends NotificationFrom<"view">>(method: M, params: Params<M>): Promise<void> {
    await this.connected;
    this.#peer.notify(method, params);
  }
  /** Writes to the host's log for this view. */
  sendLog(params: Params<"notifications/message">): Promise<void> {
    return this.sendNotification("notifications/message", params);
  }
  /** Reports a size manually, for views with `autoResize` off. */
  sendSizeChanged(params: Params<"ui/notifications/size-changed">): Promise<void> {
    return this.sendNotification("ui/notifications/size-changed", params);
  }
  /**
   * Starts to report the content's size; returns a function that stops. Runs automatically unless
   * `autoResize` is off.
   */
  setupSizeChangedNotifications(): () => void {
    return super.watchSize();
  }
  /** Asks the host to remove this view. The host answers with a teardown request. */
  requestTeardown(params: Params<"ui/notifications/request-teardown"> = {}): Promise<void> {
    return this.sendNotification("ui/notifications/request-teardown", params);
  }

  /**
   * Offers a tool to the host and, through the host, to the model. Register before `connect`, so that the
   * handshake announces tools.
   *
   * @throws {VitrineError} `duplicate-handler` if the name is taken, `unsupported` if a schema has no JSON
   * Schema
   *
   * @example
   * ```ts source="./view.examples.ts#registerTool"
   * app.registerTool(
   *   "select_row",
   *   {
   *     description: "Selects a row of the table that the user sees",
   *     inputSchema: z.object({ row: z.number().int().min(1) }),
   *     outputSchema: z.object({ name: z.string() }),
   *     annotations: { readOnlyHint: true },
   *   },
   *   ({ row }) => {
   *     const name = select(row);
   *     return { content: [{ type: "text", text: `Selected ${name}` }], structuredContent: { name } };
   *   },
   * );
   * await app.connect();
   * ```
   */
  registerTool<
    Output extends StandardSchema | undefined = undefined,
    Input extends StandardSchema | undefined = undefined,
  >(
    name: string,
    config: AppToolConfig<Input, Output>,
    callback: AppToolCallback<Input, Output>,
  ): RegisteredAppTool {
    const tool = this.#tools.register(name, config, callback as (...args: unknown[]) => CallToolResult);
    this.capabilities.tools ??= { listChanged: true };
    this.#toolsChanged();
    return tool;
  }
  /** Notifies the host that the tools changed. Registered tools do this automatically. */
  sendToolListChanged(params: Params<"notifications/tools/list_changed"> = {}): Promise<void> {
    return this.sendNotification("notifications/tools/list_changed", params);
  }

  /** Sends one notification for all tools that change in the same tick. */
  #toolsChanged(): void {
    if (this.#notifyQueued || !this.connected || !this.capabilities.tools?.listChanged) return;
    this.#notifyQueued = true;
    queueMicrotask(() => {
      this.#notifyQueued = false;
      this.sendToolListChanged().catch(() => {}); // Rejects only if closed meanwhile.
    });
  }

  /** Sends a request of any method, including extensions. The optional schema checks the result. */
  request<S extends StandardSchema>(
    message: { method: string; params?: object },
    schema: S,
    options?: AppRequestOptions,
  ): Promise<InferOutput<S>>;
  request(message: { method: string; params?: object }, options?: AppRequestOptions): Promise<unknown>;
  async request(
    { method, params = {} }: { method: string; params?: object },
    ...rest: (StandardSchema | AppRequestOptions | undefined)[]
  ): Promise<unknown> {
    const schema = rest[0] && "~standard" in rest[0] ? rest.shift() : undefined;
    const options = rest[0] as AppRequestOptions | undefined;
    const result = await this.sendRequest(method as RequestFrom<"view">, params as never, options);
    return schema ? validate(schema as StandardSchema, result, `result of ${method}`, "invalid") : result;
  }
  /** Sends a notification of any method, including extensions. */
  notification({ method, params = {} }: { method: string; params?: object }): Promise<void> {
    return this.sendNotification(method as NotificationFrom<"view">, params as never);
  }
  /**
   * Handles requests of any method. The handler gets the whole message, or only its params if there is a
   * schema for them.
   */
  setRequestHandler<P extends StandardSchema>(
    method: string,
    schemas: { params: P; result?: StandardSchema },
    handler: (params: InferOutput<P>, context: AppToolContext) => unknown,
  ): void;
  setRequestHandler<M extends string>(
    method: M,
    handler: (request: Message<M>, context: AppToolContext) => unknown,
  ): void;
  setRequestHandler<S extends MessageSchema>(
    schema: S,
    handler: (request: InferOutput<S>, context: AppToolContext) => unknown,
  ): void;
  setRequestHandler(method: MethodName, ...rest: unknown[]): void {
    const name = nameOf(method);
    this.removeRequestHandler(name);
    this.#custom.set(name, this.#peer.handle(name as RequestFrom<"host">, adapt(method, rest) as never));
  }
  removeRequestHandler(method: string): void {
    this.#custom.get(method)?.();
  }
  /** Handles notifications of any method; see {@link setRequestHandler}. */
  setNotificationHandler<P extends StandardSchema>(
    method: string,
    schemas: { params: P },
    handler: (params: InferOutput<P>) => unknown,
  ): void;
  setNotificationHandler<M extends string>(method: M, handler: (notification: Message<M>) => unknown): void;
  setNotificationHandler<S extends MessageSchema>(
    schema: S,
    handler: (notification: InferOutput<S>) => unknown,
  ): void;
  setNotificationHandler(method: MethodName, ...rest: unknown[]): void {
    const name = nameOf(method);
    this.removeNotificationHandler(name);
    this.#custom.set(`:${name}`, this.#peer.on(name as NotificationFrom<"host">, adapt(method, rest)));
  }
  removeNotificationHandler(method: string): void {
    this.#custom.get(`:${method}`)?.();
  }
}
