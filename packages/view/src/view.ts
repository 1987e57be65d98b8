/**
 * The core of the runtime inside the iframe: everything that a small view needs, in under 3 KB.
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
} from "@vitrine/protocol";
import { watchSize } from "./resize.js";
import { applyHostContext } from "./theme.js";

/** What each event carries. */
export interface ViewEventMap {
  /** The tool's complete arguments. */
  toolinput: Params<"ui/notifications/tool-input">;
  /** The arguments so far, while the model still writes them. */
  toolinputpartial: Params<"ui/notifications/tool-input-partial">;
  /** What the tool call came to. */
  toolresult: Params<"ui/notifications/tool-result">;
  /** The tool call was cancelled. */
  toolcancelled: Params<"ui/notifications/tool-cancelled">;
  /** What changed in the host context; {@link View.getHostContext} has the whole. */
  hostcontextchanged: HostContext;
}

/** The name of an event. */
export type ViewEvent = keyof ViewEventMap;
/** Hears an event. */
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
 * A view with just enough to show a tool's result: the handshake, events, tool calls, theme and resize. A
 * bundle that uses only `View` is under 3 KB; {@link App} is the same with everything else.
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
  /** Settles when the handshake is done; what is asked before waits for it, in order. */
  protected connected: Promise<void> | undefined;
  #size: ReturnType<typeof watchSize> | undefined;
  /** Makes the document look as the host says; a subclass may think otherwise. */
  protected applyContext = applyHostContext;
  /** What the host said in the handshake, with the changes of context since. */
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
    // A view without a teardown of its own agrees to be removed (D12).
    channel.handle("ui/resource-teardown", () => ({}));
  }

  /** Where the view runs: theme, locale, display mode and so on, changes merged. Undefined before `connect`. */
  getHostContext(): HostContext | undefined {
    return this.host.hostContext;
  }

  /**
   * Adds a listener. One that comes late still hears the tool's input and result. Call what it returns to
   * remove it.
   */
  on<E extends ViewEvent>(event: E, listener: ViewListener<E>): () => void {
    const method = EVENTS[event];
    const kept = this.#life.kept.get(method);
    if (kept) {
      const hear = (): unknown =>
        this.#channel.hears(method, listener) && this.#channel.listen(listener as AnyListener, kept);
      // The end of the tool call one turn later: nobody hears an input after its result.
      queueMicrotask(event.includes("input") ? hear : () => queueMicrotask(hear));
    }
    return this.#channel.on(method, listener as AnyListener);
  }

  /**
   * Shakes hands with the host. Set handlers before or after: nothing that arrives is lost.
   *
   * @throws {VitrineError} `no-host` outside a frame, `timeout` when the host does not answer
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
      // One that was closed may be open again by now, for the next handshake.
      if ((error as VitrineError).code !== "closed") this.#channel.close();
      throw error;
    }
  }

  /** Reports the content's size from now on; a subclass may think otherwise. Returns what stops it. */
  protected watchSize(): () => void {
    this.#size?.stop();
    this.#size = watchSize(
      (size) => this.#channel.notify("ui/notifications/size-changed", size),
      () => this.host.hostContext,
    );
    return this.#size.stop;
  }

  /** Sends the host any request of the wire. The methods of {@link App} are this with a name. */
  async askHost<M extends RequestFrom<"view">>(
    method: M,
    params: Params<M>,
    options?: Options,
  ): Promise<Result<M>> {
    await this.connected;
    return this.#channel.request(method, params, options);
  }

  /** Calls a tool of the view's own server. A tool that fails comes back as a result with `isError`. */
  callServerTool(params: Params<"tools/call">, options?: Options): Promise<Result<"tools/call">> {
    return this.askHost("tools/call", params, options);
  }
}

/**
 * The transport to the window that embeds this one.
 *
 * @throws {VitrineError} `no-host` when nothing embeds it
 */
export function parentTransport(): Transport {
  if (parent === window) throw new VitrineError("no-host", "not in a host");
  return new WindowTransport({ target: parent, origin: location.ancestorOrigins?.[0] });
}
