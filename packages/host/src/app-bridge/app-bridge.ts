/**
 * The official bridge's names and shapes, over Vitrine's channel and guard.
 *
 * @module
 */
import type { AppDetails, GuardOptions, HostHandlers, Link } from "@vitrine/guard";
import {
  type AppCapabilities,
  type HostCapabilities,
  type HostContext,
  type Implementation,
  type LifecycleLimits,
  mergeHostContext,
  negotiateVersion,
  type Params,
  type RequestContext,
  type RequestOptions,
  type Result,
  VitrineError,
} from "@vitrine/protocol";
import type { BridgeTransport } from "../bridge-transport.js";
import { AppChannel, type AppHandler } from "./app-channel.js";
import {
  type ClientServer,
  guardAlone,
  guardedServer,
  guardOfExtensions,
  trackPointer,
} from "./default-guard.js";
import { extraOf } from "./extra.js";
import { hostUpstream } from "./host-upstream.js";
import type { AppBridgeClient } from "./sdk-client.js";
import { fromSdkTransport, isOwnTransport, type SdkTransport } from "./sdk-transport.js";
import { SentMessages } from "./sent-messages.js";

/** Options of an {@link AppBridge}. */
export interface AppBridgeOptions {
  /** The host context of the view; see {@link AppBridge.setHostContext}. */
  hostContext?: HostContext | undefined;
  /** Your name for the server, as questions to the user show it; the name that it gives itself by default. */
  server?: string | undefined;
  /**
   * Guards every call of the view. With a client, the default is `standardGuard`, which asks the user in the page;
   * options change it, and `"behind-upstream"` says that the back end guards. Without a client, the default are limits.
   * No guard decides about methods that are not of the specification: of the options, only `rates`, `sizes` and `audit`
   * hold for them.
   */
  guard?: Link | "behind-upstream" | GuardOptions | undefined;
  /** Timeouts of the view's steps; none by default. Missed ones go to `onerror`. */
  limits?: Partial<LifecycleLimits> | undefined;
}

/** The handler of a host behind each request that is not for the server. */
const FEATURES = {
  "ui/message": "message",
  "ui/open-link": "openLink",
  "ui/download-file": "downloadFile",
  "ui/update-model-context": "updateModelContext",
  "ui/request-display-mode": "requestDisplayMode",
  "sampling/createMessage": "createMessage",
} as const satisfies Record<string, keyof HostHandlers>;

/** The notification behind each notice of the host's service. */
const NOTICES = {
  size: "ui/notifications/size-changed",
  log: "notifications/message",
  requestTeardown: "ui/notifications/request-teardown",
} as const;

/** Milliseconds that a view may take to finish, as in the SDK. */
const TEARDOWN_TIMEOUT = 60_000;

/**
 * `AppBridge` of `@modelcontextprotocol/ext-apps`, over Vitrine's channel: a host that uses the official class changes
 * its import. Messages wait until the view is ready, every message of the view is checked, and every call passes the
 * guard. `docs/hosts/moving.md` lists the differences.
 *
 * @example
 * ```ts source="./app-bridge.examples.ts#appBridge"
 * const capabilities = { serverTools: {}, openLinks: {} };
 * const bridge = new AppBridge(client, info, capabilities, { hostContext: { theme: "dark" } });
 * bridge.onopenlink = async ({ url }) => ({ isError: !window.open(url, "_blank", "noopener") });
 * bridge.onsizechange = ({ height }) => {
 *   if (height !== undefined) iframe.style.height = `${height}px`;
 * };
 * bridge.onsandboxready = () => void bridge.sendSandboxResourceReady({ html });
 * const target = iframe.contentWindow as Window;
 * await bridge.connect(new PostMessageTransport(target, target));
 * iframe.src = proxy;
 * const input = { city: "Rome" };
 * await bridge.sendToolInput({ arguments: input });
 * await bridge.sendToolResult(await client.callTool({ name: "forecast", arguments: input }));
 * ```
 */
export class AppBridge extends SentMessages {
  readonly #client: AppBridgeClient | null;
  readonly #info: Implementation;
  readonly #capabilities: HostCapabilities;
  readonly #options: AppBridgeOptions;
  readonly #limits: Partial<LifecycleLimits>;
  #context: HostContext;
  #app: AppDetails | undefined;
  #channel: AppChannel | undefined;
  #transport: SdkTransport | BridgeTransport | undefined;
  #guard: Link | "behind-upstream" = "behind-upstream";
  /** The contexts of the view's requests, by their signals: an upstream gets only these. */
  readonly #contexts = new WeakMap<AbortSignal, RequestContext>();

  /**
   * @param client the server's client, to which calls of the view are forwarded; null if you set handlers
   * @param hostInfo the host's name and version
   * @param hostCapabilities the capabilities that the view is told. A feature without a handler is refused.
   */
  constructor(
    client: AppBridgeClient | null,
    hostInfo: Implementation,
    hostCapabilities: HostCapabilities,
    options: AppBridgeOptions = {},
  ) {
    super();
    this.#client = client;
    this.#info = hostInfo;
    this.#capabilities = hostCapabilities;
    this.#options = options;
    this.#context = options.hostContext ?? {};
    // Hosts connect before they load anything, so only they know how long that takes.
    this.#limits = { initialize: Infinity, initialized: Infinity, ...options.limits };
  }

  /** The transport; undefined without a connection. */
  get transport(): SdkTransport | BridgeTransport | undefined {
    return this.#transport;
  }
  /** The view's capabilities, once it has connected. */
  getAppCapabilities(): AppCapabilities | undefined {
    return this.#app?.appCapabilities;
  }
  /** The view's name and version, once it has connected. */
  getAppVersion(): Implementation | undefined {
    return this.#app?.appInfo;
  }
  /** The capabilities that the view is told. */
  getCapabilities(): HostCapabilities {
    return this.#capabilities;
  }

  /**
   * Connects to the view. Call it before the view loads. The transport is an official one, or one of Vitrine's:
   * `ProxyTransport` for a registered view, for example.
   *
   * @throws {Error} if it is connected, or the client is not
   */
  async connect(transport: SdkTransport | BridgeTransport): Promise<void> {
    if (this.#channel)
      throw new Error("AppBridge is already connected. Call close() before connecting again.");
    const channel = new AppChannel({
      ...this.#server(),
      limits: this.#limits,
      context: () => this.#context,
      greet: (app) => this.#greet(app),
      handlers: this.#features(),
      extension: (method) => this.#answerTo(method),
      onmode: (displayMode) => this.setHostContext({ ...this.#context, displayMode }),
      onnotice: (notice, params) => this.notified(NOTICES[notice], params),
      onnotification: (method, params) => this.notified(method, params),
      onrequest: (method, params, context) => {
        if (method === "ping") this.onping?.(params, extraOf(this, method, params, context));
        else this.#contexts.set(context.signal, context);
      },
    });
    const onerror = (error: Error): void => this.onerror?.(error);
    let started: Promise<void> | undefined;
    const wire = isOwnTransport(transport)
      ? transport
      : fromSdkTransport(transport, { onerror, onstart: (start) => (started = start) });
    channel.on("ready", () => this.notified("ui/notifications/initialized", {}));
    channel.on("report", onerror);
    channel.on("failed", ({ message }) => {
      onerror(new VitrineError("timeout", message));
      channel.close();
    });
    channel.on("closed", () => {
      if (this.#channel !== channel) return;
      this.#channel = this.#transport = undefined;
      this.onclose?.();
    });
    this.#channel = channel;
    this.#transport = transport;
    this.forgetSent();
    trackPointer();
    try {
      channel.open(wire);
      await started;
    } catch (error) {
      channel.close();
      throw error;
    }
  }

  /** Closes the connection. Tear down the view first, so that it can finish. */
  async close(): Promise<void> {
    this.#channel?.close();
  }

  #greet(app: AppDetails): Result<"ui/initialize"> {
    this.#app = app;
    return {
      protocolVersion: negotiateVersion(app.protocolVersion),
      hostInfo: this.#info,
      hostCapabilities: this.#capabilities,
      hostContext: this.#context,
    };
  }

  /** The server as the view reaches it: your handlers, and then the client. */
  #server(): ClientServer & { guardOfExtensions: Link } {
    const { server, guard } = this.#options;
    const client = this.#client;
    if (client && !client.getServerCapabilities())
      throw new Error("Client server capabilities not available");
    const remote = client ? guardedServer(client, server, guard) : undefined;
    const upstream = hostUpstream(server ?? remote?.upstream.server ?? "", {
      remote: remote?.upstream,
      handlerOf: (method) => this.handlerOf(method),
      fallbackOf: (method) => this.fallbackOf(method),
      extraOf: (method, params, { signal, onprogress }) => {
        const context = signal && this.#contexts.get(signal);
        const own = { requestId: "", signal: signal ?? new AbortController().signal, progress: onprogress };
        return extraOf(this, method, params, context ?? own);
      },
    });
    this.#guard = remote?.guard ?? guardAlone(upstream, guard);
    return { ...remote, upstream, guard: this.#guard, guardOfExtensions: guardOfExtensions(guard) };
  }

  /** The features that handlers provide at the moment. */
  #features(): HostHandlers {
    const features: HostHandlers = {};
    for (const [method, name] of Object.entries(FEATURES))
      Object.defineProperty(features, name, { get: () => this.#answerTo(method) });
    return features;
  }

  #answerTo(method: string): AppHandler | undefined {
    // Without a handler, the display mode stays as it is.
    const handler =
      this.handlerOf(method) ?? (method === "ui/request-display-mode" ? undefined : this.fallbackOf(method));
    return handler && ((params, context) => handler(params, extraOf(this, method, params, context)));
  }

  /** Replaces the host context. The view is told the keys that changed or went, if any. */
  setHostContext(hostContext: HostContext): void {
    const before = this.#context;
    this.#context = hostContext;
    this.#channel?.tellChange(before, hostContext);
  }

  /** Sends changes of the host context, and keeps them for a view that restarts. */
  async sendHostContextChange(params: HostContext): Promise<void> {
    this.#context = mergeHostContext(this.#context, params);
    this.send("ui/notifications/host-context-changed", params);
  }

  /**
   * Lets the view finish, and closes the connection. Remove the frame then.
   *
   * @throws {VitrineError} `timeout`
   */
  async teardownResource(
    params: Params<"ui/resource-teardown"> = {},
    options: RequestOptions = {},
  ): Promise<Record<string, unknown>> {
    const channel = this.connected();
    this.#limits.teardown = options.timeout ?? this.#options.limits?.teardown ?? TEARDOWN_TIMEOUT;
    const cause = await channel.teardown(params.reason);
    if (cause?.code === "teardown-timeout") throw new VitrineError("timeout", cause.message);
    return {};
  }

  /** @deprecated The former name of {@link AppBridge.teardownResource}. */
  sendResourceTeardown: AppBridge["teardownResource"] = this.teardownResource;

  protected connected(): AppChannel {
    if (!this.#channel) throw new VitrineError("closed", "Not connected");
    return this.#channel;
  }

  protected override learn(result: Params<"ui/notifications/tool-result">): void {
    if (typeof this.#guard === "function") this.#guard.learn?.(result);
  }
}
