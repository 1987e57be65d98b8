/**
 * A host's answers to a view: everything except the handshake and the channel, so that a `Bridge` and an HTTP
 * endpoint behave the same.
 *
 * @module
 */
import {
  type DisplayMode,
  type Handler,
  HOST_END,
  type HostCapabilities,
  type HostContext,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  isVisibleTo,
  JsonText,
  METHOD_NOT_FOUND,
  type NotificationFrom,
  type Params,
  type RequestContext,
  type RequestFrom,
  type Result,
  recordOf,
  VitrineError,
} from "@vitrine/protocol";
import { type CapabilityDetails, capabilitiesOf } from "./capabilities.js";
import type { HostHandlers, ViewRequest } from "./handlers.js";
import type { Link, ViewCall } from "./links/link.js";
import { Subscriptions } from "./upstream/subscriptions.js";
import type { ServerCapabilities, Upstream, UpstreamMethod } from "./upstream/upstream.js";

/** Options of {@link hostService}. */
export interface ServiceOptions {
  /** The view's own server, the only one that it can reach. Without one it has no tools or resources. */
  upstream?: Upstream | undefined;
  handlers?: HostHandlers | undefined;
  /**
   * Guards every call of the view: `standardGuard(upstream)`, or `"behind-upstream"` if the back end has one.
   * An upstream without a guard would let a view use every tool, and is refused.
   */
  guard?: Link | "behind-upstream" | undefined;
  /** The view's instance, for the guard. */
  view: string;
  /** The view's server, for the guard; the upstream's by default. */
  server?: string | undefined;
  /** Kinds of content for messages and model context (`text` by default), and grants of the sandbox. */
  details?: CapabilityDetails | undefined;
  /** The current context, for display modes. */
  context?: (() => HostContext) | undefined;
  /** The display modes that the view supports; undefined if it did not say. */
  viewModes?: (() => DisplayMode[] | undefined) | undefined;
  /** Called with errors of handlers and the guard that are hidden from the view. */
  onreport?: ((error: VitrineError) => void) | undefined;
  /**
   * Called for every notification that passed the guard, with the name of its handler, before the handler.
   */
  onnotice?: ((handler: NoticeHandler, params: object) => void) | undefined;
  /** Called when the display mode changed. */
  onmode?: ((mode: DisplayMode) => void) | undefined;
}

/** The requests that a service answers. */
export type ServiceRequest = Exclude<RequestFrom<"view">, "ping" | "ui/initialize">;
/** The notifications that a service handles. */
export type ServiceNotification = Extract<
  NotificationFrom<"view">,
  "notifications/message" | "ui/notifications/size-changed" | "ui/notifications/request-teardown"
>;

/** The handlers of notifications. */
export type NoticeHandler = "log" | "size" | "requestTeardown";

/** Answers a request of a view. */
export type ServiceHandler = (
  params: Record<string, unknown>,
  context: RequestContext,
) => Promise<object | JsonText>;

/** A host's service for one view. */
export interface HostService {
  /** The current capabilities: only what works. */
  readonly capabilities: HostCapabilities;
  /** Request handlers, for checked params. Unsupported requests are refused with -32601. */
  readonly requests: { readonly [M in ServiceRequest]: ServiceHandler };
  /** Notification handlers; they reject if the guard refused. */
  readonly notifications: {
    readonly [M in ServiceNotification]: (params: Record<string, unknown>) => Promise<void>;
  };
  /** Whether the view has subscribed to a resource. */
  isSubscribedTo(uri: unknown): boolean;
  /** Ends the view's subscriptions. */
  close(): void;
}

/** The handler behind each notification. */
const LISTENERS = {
  "notifications/message": "log",
  "ui/notifications/size-changed": "size",
  "ui/notifications/request-teardown": "requestTeardown",
} as const satisfies { [M in ServiceNotification]: NoticeHandler };

/** Schemes that may be opened; others could run in the host page or start a program. */
const LINKS = /^(https?|mailto):$/;

/**
 * Creates the service of one view.
 *
 * @example
 * ```ts source="./service.examples.ts#hostService"
 * const { capabilities, requests } = hostService({
 *   upstream,
 *   guard: standardGuard(upstream),
 *   handlers,
 *   view: "view-1",
 * });
 * // `capabilities` goes into the answer to `ui/initialize`; then, for a request whose params were checked:
 * const context = { requestId: 1, signal: AbortSignal.timeout(60_000), progress: undefined };
 * const result = await requests["tools/call"]({ name: "forecast" }, context);
 * ```
 */
export function hostService(options: ServiceOptions): HostService {
  const { upstream, handlers = {}, view } = options;
  if (upstream && !options.guard) {
    throw new VitrineError(
      "invalid",
      'an upstream needs a guard: standardGuard(upstream), or "behind-upstream"',
    );
  }
  const guard: Link = typeof options.guard === "function" ? options.guard : (call, next) => next(call);
  const server = options.server ?? upstream?.server ?? "";
  const subscriptions = upstream && new Subscriptions(upstream);

  /** Whether the method is supported: otherwise the user is not asked either. */
  const works = (method: ServiceRequest): boolean => {
    if (!isUpstream(method)) return method === "ui/request-display-mode" || !!handlers[handlerName(method)];
    if (method.endsWith("subscribe")) return !!upstream?.capabilities.resources?.subscribe;
    return !!upstream?.capabilities[method.split("/")[0] as keyof ServerCapabilities];
  };

  const askServer = async (method: UpstreamMethod, params: object, { signal, progress }: RequestContext) => {
    if (method.endsWith("subscribe")) {
      const { uri } = params as Params<"resources/subscribe">;
      return method === "resources/subscribe" ? subscriptions?.add(uri, signal) : subscriptions?.remove(uri);
    }
    const result = await upstream?.request(method, params as Params<UpstreamMethod>, {
      signal,
      onprogress: progress,
    });
    // A view does not see tools that it may not call.
    return result && method === "tools/list" ? onlyForApps(result) : result;
  };

  const displayMode: Handler<"ui/request-display-mode", ViewRequest> = async (params, context) => {
    const { displayMode: current = "inline", availableDisplayModes: ours } = options.context?.() ?? {};
    const theirs = options.viewModes?.();
    // A mode that either side lacks is neither requested nor accepted from a handler.
    const fits = (mode: DisplayMode): boolean =>
      mode !== current && !!ours?.includes(mode) && (!theirs || theirs.includes(mode));
    const granted = fits(params.mode) && (await handlers.requestDisplayMode?.(params, context));
    if (!granted || !fits(granted.mode)) return { mode: current };
    options.onmode?.(granted.mode);
    return granted;
  };

  const askHost = (method: ServiceRequest, params: object, context: ViewRequest): unknown => {
    if (method === "ui/request-display-mode") return displayMode(params as { mode: DisplayMode }, context);
    if (method === "ui/open-link" && !isLink((params as Params<"ui/open-link">).url)) {
      throw new VitrineError(INVALID_PARAMS, "only http, https and mailto links can be opened");
    }
    return handlers[handlerName(method)]?.(params as never, context);
  };

  /** Passes a call through the guard; its result may go to the view. */
  const pass = async (call: ViewCall, next: (params: object) => unknown): Promise<object> => {
    try {
      return ((await guard(call, async (passed) => next(passed.params))) ?? {}) as object;
    } catch (error) {
      throw presentable(error, call.method, options.onreport);
    }
  };

  const requests: Record<string, ServiceHandler> = {};
  for (const name of Object.keys(HOST_END.requests)) {
    if (/^ping$|initialize$/.test(name)) continue;
    const method = name as ServiceRequest;
    requests[method] = async (params, context) => {
      if (!works(method))
        throw new VitrineError(
          METHOD_NOT_FOUND,
          (isUpstream(method) && upstream?.gone) || "Method not found",
        );
      return pass({ view, server, method, params, signal: context.signal }, (passed) =>
        isUpstream(method)
          ? askServer(method, passed, context)
          : askHost(method, passed, { ...context, view, server }),
      );
    };
  }
  const notifications: Record<string, (params: Record<string, unknown>) => Promise<void>> = {};
  for (const [name, key] of Object.entries(LISTENERS)) {
    const method = name as ServiceNotification;
    notifications[method] = async (params) => {
      try {
        await pass({ view, server, method, params }, (passed) => {
          options.onnotice?.(key, passed);
          return handlers[key]?.(passed as never, { view, server });
        });
      } catch (error) {
        // Only the first refusal of a flood is reported.
        const { data } = error as { data?: { repeated?: boolean } };
        if (!data?.repeated) throw error;
      }
    };
  }

  return {
    get capabilities() {
      return capabilitiesOf(upstream, handlers, options.details);
    },
    requests: requests as HostService["requests"],
    notifications: notifications as HostService["notifications"],
    isSubscribedTo: (uri) => !!subscriptions?.isSubscribedTo(uri),
    close: () => subscriptions?.clear(),
  };
}

/**
 * The error that a view may see. An error with a numeric code is the server's or the guard's answer and
 * passes with code, message and data; so does a VitrineError. Others may quote data that the view must not
 * see.
 */
function presentable(error: unknown, method: string, report: ServiceOptions["onreport"]): VitrineError {
  if (error instanceof VitrineError) return error;
  const { code, message, data } = recordOf(error);
  if (Number.isInteger(code)) return new VitrineError(Number(code), `${message}`, { data });
  const failed = `${method} failed`;
  report?.(new VitrineError("listener-failed", failed, { cause: error }));
  return new VitrineError(INTERNAL_ERROR, failed);
}

function onlyForApps(result: object): Result<"tools/list"> {
  const listed = (result instanceof JsonText ? result.parse() : result) as Result<"tools/list">;
  return { ...listed, tools: listed.tools.filter((tool) => isVisibleTo(tool, "app")) };
}

/** Handlers are named after their methods: `openLink` answers `ui/open-link`. */
const handlerName = (method: ServiceRequest): keyof HostHandlers =>
  method.replace(/.*\//, "").replace(/-./g, ([, letter = ""]) => letter.toUpperCase()) as keyof HostHandlers;

const isUpstream = (method: string): method is UpstreamMethod => /^(tools|resources|prompts)\//.test(method);
const isLink = (url: string): boolean => URL.canParse(url) && LINKS.test(new URL(url).protocol);
