/**
 * The core of the runtime inside the iframe: everything a small view needs, in under 3 KB.
 *
 * @module
 */
import {
  type AppCapabilities,
  Channel,
  type ChannelRequestOptions,
  type HostContext,
  type Implementation,
  mergeHostContext,
  type NotificationFrom,
  type Params,
  PROTOCOL_VERSION,
  type RequestFrom,
  type Result,
  type Transport,
  ViewLifecycle,
  VitrineError,
  WindowTransport,
  watchSize,
} from "@vitrine/protocol";
import { applyHostContext } from "./theme.js";

/** Params of each event. */
export interface ViewEventMap {
  /** The tool's complete arguments. */
  toolinput: Params<"ui/notifications/tool-input">;
  /** The arguments received so far, while the model still writes them. */
  toolinputpartial: Params<"ui/notifications/tool-input-partial">;
  /** The result of the tool call. */
  toolresult: Params<"ui/notifications/tool-result">;
  /** The tool call was cancelled. */
  toolcancelled: Params<"ui/notifications/tool-cancelled">;
  /** The changed part of the host context. {@link View.getHostContext} returns the whole context. */
  hostcontextchanged: HostContext;
}

/** The name of an event. */
export type ViewEvent = keyof ViewEventMap;
/** Called for each event of its kind. */
export type ViewListener<E extends ViewEvent> = (params: ViewEventMap[E]) => unknown;

type AnyListener = (params: unknown) => unknown;

/** The notification behind each event. */
export const EVENTS: { readonly [E in ViewEvent]: NotificationFrom<"host"> } = {
  toolinput: "ui/notifications/tool-input",
  toolinputpartial: "ui/notifications/tool-input-partial",
  toolresult: "ui/notifications/tool-result",
  toolcancelled: "ui/notifications/tool-cancelled",
  hostcontextchanged: "ui/notifications/host-context-changed",
};

/**
 * A minimal view that shows a tool's result: handshake, events, tool calls, theme and resizing. A bundle with
 * only `View` is under 3 KB. {@link App} extends it with the rest of MCP Apps.
 *
 * @example
 * ```ts source="./view.examples.ts#view"
 * const view = new View({ name: "weather", version: "1.0.0" });
 * view.on("toolresult", ({ content }) => {
 *   for (const block of content) if (block.type === "text") show(block.text);
 * });
 * await view.connect();
 * ```
 */
export class View<Options extends ChannelRequestOptions = ChannelRequestOptions> {
  readonly #hello: Params<"ui/initialize">;
  readonly #channel: Channel<"view">;
  readonly #life = new ViewLifecycle();
  /** Settles when the handshake is done. Earlier requests wait for it, in order. */
  protected connected: Promise<void> | undefined;
  #size: ReturnType<typeof watchSize> | undefined;
  /** Applies the host's look to the document. Subclasses may override it. */
  protected applyContext = applyHostContext;
  /** The host's answer to the handshake, updated by later context changes. */
  protected host: Partial<Result<"ui/initialize">> = {};

  constructor(
    appInfo: Implementation,
    appCapabilities: AppCapabilities = {},
    channel: Channel<"view"> = new Channel(),
  ) {
    this.#hello = { protocolVersion: PROTOCOL_VERSION, appInfo, appCapabilities };
    this.#channel = channel;
    channel.onclose = () => {
      this.#life.enter("closed");
      this.#size?.stop();
    };
    channel.onnotification = (method, params) => this.#life.keep(method, params);
    this.on("hostcontextchanged", (change) => {
      this.host.hostContext = mergeHostContext(this.host.hostContext, change);
      this.applyContext(change);
      this.#size?.check();
    });
    // A view without its own teardown handler agrees to be removed.
    channel.handle("ui/resource-teardown", () => ({}));
  }

  /**
   * The current host context (theme, locale, display mode and so on), with all changes merged. Undefined
   * before `connect`.
   */
  getHostContext(): HostContext | undefined {
    return this.host.hostContext;
  }

  /**
   * Adds a listener. A listener that is added late still gets the tool's input and result. Returns a function
   * that removes the listener.
   */
  on<E extends ViewEvent>(event: E, listener: ViewListener<E>): () => void {
    const method = EVENTS[event];
    const kept = this.#life.kept.get(method);
    if (kept) {
      const replay = (): unknown =>
        this.#channel.hasListener(method, listener) && this.#channel.listen(listener as AnyListener, kept);
      // Deliver the result one microtask later, so that no listener gets an input after its result.
      queueMicrotask(event.includes("input") ? replay : () => queueMicrotask(replay));
    }
    return this.#channel.on(method, listener as AnyListener);
  }

  /**
   * Connects to the host. Handlers may be set before or after: no message is lost.
   *
   * @throws {VitrineError} `no-host` outside a frame, `timeout` if the host does not answer
   */
  async connect(transport: Transport = parentTransport(), options?: Options): Promise<void> {
    this.#life.enter("connecting");
    await (this.connected = this.#shakeHands(transport, options));
  }

  async #shakeHands(transport: Transport, options?: Options): Promise<void> {
    try {
      this.#channel.open(transport);
      this.host = await this.#channel.request("ui/initialize", this.#hello, options);
      this.#channel.notify("ui/notifications/initialized", {});
      this.#life.enter("ready");
      this.applyContext(this.host.hostContext);
      this.watchSize();
    } catch (error) {
      // A channel that was closed meanwhile may already be open again, for the next handshake.
      if ((error as VitrineError).code !== "closed") this.#channel.close();
      throw error;
    }
  }

  /** Starts to report the content's size; returns a function that stops. Subclasses may override it. */
  protected watchSize(): () => void {
    this.#size?.stop();
    this.#size = watchSize(
      (size) => this.#channel.notify("ui/notifications/size-changed", size),
      () => this.host.hostContext,
    );
    return this.#size.stop;
  }

  /** Sends any request of the protocol to the host. The methods of {@link App} wrap it. */
  async sendRequest<M extends RequestFrom<"view">>(
    method: M,
    params: Params<M>,
    options?: Options,
  ): Promise<Result<M>> {
    await this.connected;
    return this.#channel.request(method, params, options);
  }

  /** Calls a tool of the view's own server. A failed tool resolves to a result with `isError`. */
  callServerTool(params: Params<"tools/call">, options?: Options): Promise<Result<"tools/call">> {
    return this.sendRequest("tools/call", params, options);
  }
}

/**
 * Returns a transport to the window that embeds this one.
 *
 * @throws {VitrineError} `no-host` if the page is not embedded
 */
export function parentTransport(): Transport {
  if (parent === window) throw new VitrineError("no-host", "not in a host");
  return new WindowTransport({ target: parent, origin: location.ancestorOrigins?.[0] });
}
