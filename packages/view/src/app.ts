/**
 * The whole runtime inside the iframe.
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
export interface RequestOptions extends PeerOptions {
  /** Accepted and not used: progress always starts the timeout anew. */
  resetTimeoutOnProgress?: boolean | undefined;
  /** Accepted and not used: for a limit in all, pass `AbortSignal.timeout(ms)` as `signal`. */
  maxTotalTimeout?: number | undefined;
}

/** Options of an app. */
export interface AppOptions {
  /** Report the content's size to the host; true by default. */
  autoResize?: boolean | undefined;
  /** Apply the host's theme, variables, fonts and safe areas to the document; true by default. */
  autoTheme?: boolean | undefined;
  /** Accepted and not used: what is asked before the handshake waits for it, and no handler comes too late. */
  strict?: boolean | undefined;
  /** Accepted and not used: nothing here needs `eval`. */
  allowUnsafeEval?: boolean | undefined;
}

/** Where messages go: the official SDK's name for {@link WindowTransport} to the parent. */
export class PostMessageTransport extends WindowTransport {
  constructor(target: Window = parent, _source?: unknown) {
    const options: Pick<WindowTransportOptions, "target"> = { target };
    super(options as WindowTransportOptions);
  }
}

/**
 * A view with everything that MCP Apps has, by the official SDK's names: a view written for that one changes
 * only its import.
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
 *   await app.updateModelContext({ content: [{ type: "text", text: "The person looks at the forecast." }] });
 * };
 * ```
 */
export class App extends View<RequestOptions> {
  readonly #peer: Peer<"view">;
  readonly #options: AppOptions;
  readonly #tools = new AppTools(() => this.#toolsChanged());
  /** The handlers of the `on…` properties, by event. */
  readonly #handlers: { [event: string]: ViewListener<ViewEvent> | undefined } = {};
  readonly #custom = new Map<string, () => void>();
  #tellsTools = false;

  // One handler each, beside any number of listeners.
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
          // A listener of its own, so that the same function may also be added as one.
          const own: ViewListener<ViewEvent> = (params) => handler?.(params);
          this.#custom.set(event, this.on(event as ViewEvent, own));
        },
      });
    }
  }

  /** Called, and waited for, before the host removes the view; `params.reason` is why, if the host says. */
  onteardown: ((params: Params<"ui/resource-teardown">, context: AppToolContext) => unknown) | undefined;
  /** Hears what went wrong beside a request: a listener that threw, a message that made no sense. */
  onerror: ((error: Error) => void) | undefined;
  /** Called when the connection has ended, by either end. */
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

  /** What the view offers the host, as the handshake will say. */
  readonly capabilities: AppCapabilities;
  /** What the view remembers of itself across remounts. */
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
    // Without a handler, what a listener threw goes where it would go in the DOM.
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

  /** What the host is: its name and version. Undefined before `connect`. */
  getHostVersion(): Implementation | undefined {
    return this.host.hostInfo;
  }
  /** What the host can do. Undefined before `connect`. */
  getHostCapabilities(): HostCapabilities | undefined {
    return this.host.hostCapabilities;
  }

  override async connect(transport?: Transport, options?: RequestOptions): Promise<void> {
    await super.connect(transport, options);
    this.state.settle();
    const { protocolVersion } = this.host;
    if (protocolVersion !== PROTOCOL_VERSION) {
      // Noticed, not refused: what both know still works (D14).
      this.onerror?.(new VitrineError("unsupported", `the host speaks ${protocolVersion}`));
    }
  }

  /** Ends the connection and releases every observer and listener of the document (D21). */
  async close(): Promise<void> {
    this.#peer.close();
  }

  protected override watchSize(): () => void {
    return this.#options.autoResize === false ? () => {} : super.watchSize();
  }

  /** As {@link on}, for those who prefer the DOM's names. */
  addEventListener<E extends ViewEvent>(event: E, listener: ViewListener<E>): void {
    this.on(event, listener);
  }
  removeEventListener<E extends ViewEvent>(event: E, listener: ViewListener<E>): void {
    this.#peer.on(EVENTS[event], listener as (params: object) => unknown)();
  }

  override callServerTool(
    params: Params<"tools/call">,
    options?: RequestOptions,
  ): Promise<Result<"tools/call">> {
    // Progress is always asked for: a tool that is still at work must not time out (D7).
    return super.callServerTool(params, { onprogress: () => {}, ...options });
  }
  /** Lists the tools of the view's own server that it may call. */
  listServerTools(params: List = {}, options?: RequestOptions): Promise<Result<"tools/list">> {
    return this.askHost("tools/list", params, options);
  }
  /** Reads a resource of the view's own server. */
  readServerResource(
    params: Params<"resources/read">,
    options?: RequestOptions,
  ): Promise<Result<"resources/read">> {
    return this.askHost("resources/read", params, options);
  }
  /** Lists the resources of the view's own server. */
  listServerResources(params: List = {}, options?: RequestOptions): Promise<Result<"resources/list">> {
    return this.askHost("resources/list", params, options);
  }
  /** Lists the resource templates of the view's own server. */
  listServerResourceTemplates(
    params: List = {},
    options?: RequestOptions,
  ): Promise<Result<"resources/templates/list">> {
    return this.askHost("resources/templates/list", params, options);
  }
  /** Asks to hear `notifications/resources/updated` of a resource; see {@link setNotificationHandler}. */
  subscribeServerResource(
    params: Params<"resources/subscribe">,
    options?: RequestOptions,
  ): Promise<Result<"resources/subscribe">> {
    return this.askHost("resources/subscribe", params, options);
  }
  /** Asks to hear it no longer. */
  unsubscribeServerResource(
    params: Params<"resources/unsubscribe">,
    options?: RequestOptions,
  ): Promise<Result<"resources/unsubscribe">> {
    return this.askHost("resources/unsubscribe", params, options);
  }
  /** Lists the prompts of the view's own server. */
  listServerPrompts(params: List = {}, options?: RequestOptions): Promise<Result<"prompts/list">> {
    return this.askHost("prompts/list", params, options);
  }
  /** Gets a prompt of the view's own server, filled in. */
  getServerPrompt(params: Params<"prompts/get">, options?: RequestOptions): Promise<Result<"prompts/get">> {
    return this.askHost("prompts/get", params, options);
  }

  /** Adds a message to the conversation, as a turn of the user. */
  sendMessage(params: Params<"ui/message">, options?: RequestOptions): Promise<Result<"ui/message">> {
    return this.askHost("ui/message", params, options);
  }
  /** Tells the model what the view shows; the last update counts, with the user's next turn. */
  updateModelContext(
    params: Params<"ui/update-model-context">,
    options?: RequestOptions,
  ): Promise<Result<"ui/update-model-context">> {
    return this.askHost("ui/update-model-context", params, options);
  }
  /** Asks the host to open a link. `isError` in the result means that it did not. */
  openLink(params: Params<"ui/open-link">, options?: RequestOptions): Promise<Result<"ui/open-link">> {
    return this.askHost("ui/open-link", params, options);
  }
  /** @deprecated The official SDK's old name of {@link openLink}. */
  sendOpenLink: App["openLink"] = this.openLink;
  /** Asks the host to save a file. `isError` in the result means that it did not. */
  downloadFile(
    params: Params<"ui/download-file">,
    options?: RequestOptions,
  ): Promise<Result<"ui/download-file">> {
    return this.askHost("ui/download-file", params, options);
  }
  /** Asks for another display mode; the result says which is in force, changed or not. */
  requestDisplayMode(
    params: Params<"ui/request-display-mode">,
    options?: RequestOptions,
  ): Promise<Result<"ui/request-display-mode">> {
    return this.askHost("ui/request-display-mode", params, options);
  }
  /** Asks the host's model for a completion. */
  createSamplingMessage(
    params: Params<"sampling/createMessage">,
    options?: RequestOptions,
  ): Promise<Result<"sampling/createMessage">> {
    return this.askHost("sampling/createMessage", params, options);
  }

  /** Sends the host any notification of the wire. */
  async tellHost<M extends NotificationFrom<"view">>(method: M, params: Params<M>): Promise<void> {
    await this.connected;
    this.#peer.notify(method, params);
  }
  /** Writes to the host's log of this view. */
  sendLog(params: Params<"notifications/message">): Promise<void> {
    return this.tellHost("notifications/message", params);
  }
  /** Reports a size by hand, when `autoResize` is off. */
  sendSizeChanged(params: Params<"ui/notifications/size-changed">): Promise<void> {
    return this.tellHost("ui/notifications/size-changed", params);
  }
  /** Reports the content's size from now on; returns what stops it. Automatic unless switched off. */
  setupSizeChangedNotifications(): () => void {
    return super.watchSize();
  }
  /** Asks the host to remove this view; it then asks back with a teardown. */
  requestTeardown(params: Params<"ui/notifications/request-teardown"> = {}): Promise<void> {
    return this.tellHost("ui/notifications/request-teardown", params);
  }

  /**
   * Offers a tool to the host, and through it to the model. Register before `connect`, so that the host knows
   * that there are tools.
   *
   * @throws {VitrineError} `duplicate-handler` for a name that is taken, `unsupported` for a schema that has no
   * JSON Schema
   *
   * @example
   * ```ts source="./view.examples.ts#registerTool"
   * app.registerTool(
   *   "select_row",
   *   {
   *     description: "Selects a row of the table that the person sees",
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
  /** Tells the host that the tools changed. Automatic for registered tools. */
  sendToolListChanged(params: Params<"notifications/tools/list_changed"> = {}): Promise<void> {
    return this.tellHost("notifications/tools/list_changed", params);
  }

  /** However many tools change at once, the host hears it once (A05). */
  #toolsChanged(): void {
    if (this.#tellsTools || !this.connected || !this.capabilities.tools?.listChanged) return;
    this.#tellsTools = true;
    queueMicrotask(() => {
      this.#tellsTools = false;
      this.sendToolListChanged().catch(() => {}); // Closed in between: there is nobody to tell.
    });
  }

  /** Sends a request of any kind, extensions too; a schema checks the result. */
  request<S extends StandardSchema>(
    message: { method: string; params?: object },
    schema: S,
    options?: RequestOptions,
  ): Promise<InferOutput<S>>;
  request(message: { method: string; params?: object }, options?: RequestOptions): Promise<unknown>;
  async request(
    { method, params = {} }: { method: string; params?: object },
    ...rest: (StandardSchema | RequestOptions | undefined)[]
  ): Promise<unknown> {
    const schema = rest[0] && "~standard" in rest[0] ? rest.shift() : undefined;
    const options = rest[0] as RequestOptions | undefined;
    const result = await this.askHost(method as RequestFrom<"view">, params as never, options);
    return schema ? validate(schema as StandardSchema, result, `result of ${method}`, "invalid") : result;
  }
  /** Sends a notification of any kind, extensions too. */
  notification({ method, params = {} }: { method: string; params?: object }): Promise<void> {
    return this.tellHost(method as NotificationFrom<"view">, params as never);
  }
  /** Serves a request of any kind: the handler gets the message, or its params when a schema stands between. */
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
  /** Hears a notification of any kind; see {@link setRequestHandler}. */
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
