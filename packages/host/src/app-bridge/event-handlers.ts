/**
 * The handlers of an `AppBridge`: properties for each feature, event listeners, and handlers by method.
 *
 * @module
 */
import type { Params } from "@vitrine/protocol";
import type {
  AppBridgeEventMap,
  AppBridgeHandler,
  FallbackRequest,
  RequestHandlerExtra,
  SdkMessage,
} from "./types.js";

/** Handles a request, by its params. */
export type ParamsHandler = (params: Record<string, unknown>, extra: RequestHandlerExtra) => unknown;
type MessageHandler<E extends unknown[]> = (message: never, ...extra: E) => unknown;
type Listener<E extends keyof AppBridgeEventMap> = (params: AppBridgeEventMap[E]) => void;

/** A schema of a whole message, as in the SDK 1.x: its `method` names the message. */
export interface SdkSchema {
  readonly shape: { readonly method: object };
}

/** The property that handles each request. */
const PROPERTIES = {
  "ui/message": "onmessage",
  "ui/open-link": "onopenlink",
  "ui/download-file": "ondownloadfile",
  "ui/update-model-context": "onupdatemodelcontext",
  "ui/request-display-mode": "onrequestdisplaymode",
  "sampling/createMessage": "oncreatesamplingmessage",
  "tools/call": "oncalltool",
  "resources/list": "onlistresources",
  "resources/templates/list": "onlistresourcetemplates",
  "resources/read": "onreadresource",
  "prompts/list": "onlistprompts",
} as const;

/** The event of each notification. */
const EVENTS = new Map<string, keyof AppBridgeEventMap>(
  Object.entries({
    "ui/notifications/size-changed": "sizechange",
    "ui/notifications/sandbox-proxy-ready": "sandboxready",
    "ui/notifications/initialized": "initialized",
    "ui/notifications/request-teardown": "requestteardown",
    "notifications/message": "loggingmessage",
  } as const),
);

/** The base of an `AppBridge`. Handlers may be set at any time. */
export class EventHandlers {
  /** Called for each ping of the view. */
  onping: ((params: Params<"ping">, extra: RequestHandlerExtra) => void) | undefined;
  /** Called when the size of the view's content changed. */
  onsizechange: Listener<"sizechange"> | undefined;
  /** Called when a sandbox proxy has loaded: answer with `sendSandboxResourceReady`. */
  onsandboxready: Listener<"sandboxready"> | undefined;
  /** Called when the view is ready, and again after it reloaded. */
  oninitialized: ((params?: AppBridgeEventMap["initialized"]) => void) | undefined;
  /** Called when the view asks to be removed. */
  onrequestteardown: Listener<"requestteardown"> | undefined;
  /** Called for each line of the view's log. */
  onloggingmessage: Listener<"loggingmessage"> | undefined;
  /** Adds a message to the conversation. */
  onmessage: AppBridgeHandler<"ui/message"> | undefined;
  /** Opens a link. Only `http:`, `https:` and `mailto:` arrive here. */
  onopenlink: AppBridgeHandler<"ui/open-link"> | undefined;
  /** Saves files. */
  ondownloadfile: AppBridgeHandler<"ui/download-file"> | undefined;
  /** Updates the model's context. */
  onupdatemodelcontext: AppBridgeHandler<"ui/update-model-context"> | undefined;
  /** Changes the display mode, or not, and returns the current one. */
  onrequestdisplaymode: AppBridgeHandler<"ui/request-display-mode"> | undefined;
  /** Asks the host's model. */
  oncreatesamplingmessage: AppBridgeHandler<"sampling/createMessage"> | undefined;
  /** Calls a tool, in place of the client. */
  oncalltool: AppBridgeHandler<"tools/call"> | undefined;
  /** Lists resources, in place of the client. */
  onlistresources: AppBridgeHandler<"resources/list"> | undefined;
  /** Lists templates of resources, in place of the client. */
  onlistresourcetemplates: AppBridgeHandler<"resources/templates/list"> | undefined;
  /** Reads a resource, in place of the client. */
  onreadresource: AppBridgeHandler<"resources/read"> | undefined;
  /** Lists prompts, in place of the client. */
  onlistprompts: AppBridgeHandler<"prompts/list"> | undefined;
  /** Called with errors: of the transport, of handlers, and messages of the view that were refused. */
  onerror: ((error: Error) => void) | undefined;
  /** Called when the connection ended. */
  onclose: (() => void) | undefined;
  /** Handles requests that have no handler. */
  fallbackRequestHandler:
    | ((request: FallbackRequest, extra: RequestHandlerExtra) => Promise<object>)
    | undefined;
  /** Called for notifications that have no handler. */
  fallbackNotificationHandler: ((notification: SdkMessage) => Promise<void>) | undefined;
  readonly #listeners: { [E in keyof AppBridgeEventMap]?: Listener<E>[] } = {};
  readonly #requests = new Map<string, ParamsHandler>();
  readonly #notifications = new Map<string, (params: object) => unknown>();

  /** Adds a listener of an event; it runs after the event's property. */
  addEventListener<E extends keyof AppBridgeEventMap>(event: E, handler: Listener<E>): void {
    const listeners: Listener<E>[] = (this.#listeners[event] ??= [] as never);
    listeners.push(handler);
  }

  /** Removes a listener. */
  removeEventListener<E extends keyof AppBridgeEventMap>(event: E, handler: Listener<E>): void {
    const listeners: Listener<E>[] = this.#listeners[event] ?? [];
    const at = listeners.indexOf(handler);
    if (at >= 0) listeners.splice(at, 1);
  }

  /**
   * Handles a request by its method, in the forms of the SDK: `(method, handler)`, `(method, schemas, handler)` and, as
   * in 1.x, `(schema, handler)`. Params of the specification were checked already, so schemas are not used.
   *
   * @throws {Error} if the method has a handler of this kind
   */
  setRequestHandler(
    method: string | SdkSchema,
    ...rest: [MessageHandler<[RequestHandlerExtra]>] | [object, MessageHandler<[RequestHandlerExtra]>]
  ): void {
    const [name, handler] = registration(this.#requests, method, rest);
    this.#requests.set(name, (params, extra) => handler(params as never, extra));
  }

  /** Receives a notification by its method, in the forms of {@link setRequestHandler}. */
  setNotificationHandler(
    method: string | SdkSchema,
    ...rest: [MessageHandler<[]>] | [object, MessageHandler<[]>]
  ): void {
    const [name, handler] = registration(this.#notifications, method, rest);
    this.#notifications.set(name, (params) => handler(params as never));
  }

  /** Removes the handler of a request. */
  removeRequestHandler(method: string): void {
    this.#requests.delete(method);
    if (Object.hasOwn(PROPERTIES, method)) this[PROPERTIES[method as "ui/message"]] = undefined;
  }

  /** Removes the handler of a notification. */
  removeNotificationHandler(method: string): void {
    this.#notifications.delete(method);
  }

  /** The handler of a request, without the fallback. */
  protected handlerOf(method: string): ParamsHandler | undefined {
    // The view chooses the method, which may be "constructor".
    const property = Object.hasOwn(PROPERTIES, method) ? PROPERTIES[method as "ui/message"] : undefined;
    return this.#requests.get(method) ?? (property && (this[property] as ParamsHandler | undefined));
  }

  /** The fallback as the handler of a request, if there is one. */
  protected fallbackOf(method: string): ParamsHandler | undefined {
    const fallback = this.fallbackRequestHandler;
    return (
      fallback &&
      ((params, extra) => fallback({ jsonrpc: "2.0", id: extra.requestId, method, params }, extra))
    );
  }

  /** Calls the listeners of a notification. An error in one goes to `onerror`, and does not affect the others. */
  protected notified(method: string, params: object): void {
    const event = EVENTS.get(method);
    const own = this.#notifications.get(method);
    const listeners: unknown[] = event ? [this[`on${event}`], ...(this.#listeners[event] ?? [])] : [];
    if (!event && !own) listeners.push(() => this.fallbackNotificationHandler?.({ method, params }));
    for (const listener of [...listeners, own]) {
      if (typeof listener !== "function") continue;
      (async () => listener(params))().catch((error) => this.onerror?.(error));
    }
  }
}

/** The method and the handler of a registration in one of the SDK's forms. */
function registration<H extends (...args: never[]) => unknown>(
  known: ReadonlyMap<string, unknown>,
  method: string | SdkSchema,
  rest: [H] | [object, H],
): [string, (params: object, ...extra: unknown[]) => unknown] {
  const name = typeof method === "string" ? method : methodOf(method);
  if (/^(ping|ui\/initialize)$/.test(name)) throw new Error(`The bridge itself answers "${name}"`);
  if (known.has(name)) throw new Error(`Handler for "${name}" already registered: remove it first`);
  const handler = (rest[1] ?? rest[0]) as (message: unknown, ...extra: unknown[]) => unknown;
  // Only the form with schemas passes params alone.
  const isWhole = rest.length < 2;
  return [name, (params, ...extra) => handler(isWhole ? { method: name, params } : params, ...extra)];
}

/** The method of a schema: zod has a literal's value in `value`, or in its definition. */
function methodOf({ shape }: SdkSchema): string {
  const { value, values, _zod } = shape.method as {
    value?: unknown;
    values?: Iterable<unknown>;
    _zod?: { def: { values: unknown[] } };
  };
  const [first] = _zod?.def.values ?? values ?? [];
  return String(value ?? first);
}
