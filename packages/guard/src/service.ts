/**
 * What a host answers to a view: everything but the handshake and the channel, so that a `Bridge` and an HTTP
 * endpoint give the same answers.
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
  VitrineError,
} from "@vitrine/protocol";
import { type CapabilityDetails, capabilitiesOf } from "./capabilities.js";
import type { HostHandlers, ViewRequest } from "./handlers.js";
import type { Link, ViewCall } from "./links/link.js";
import { Subscriptions } from "./upstream/subscriptions.js";
import type { ServerCapabilities, Upstream, UpstreamMethod } from "./upstream/upstream.js";

/** Options of {@link hostService}. */
export interface ServiceOptions {
  /** The view's own server, and the only one that it can reach (C04). Without one it has no tools or resources. */
  upstream?: Upstream | undefined;
  handlers?: HostHandlers | undefined;
  /**
   * What every call of the view passes first: `standardGuard(upstream)`, or `"behind-upstream"` when the back end has
   * one. An upstream without a guard would let a view use every tool there is (D1), and is refused.
   */
  guard?: Link | "behind-upstream" | undefined;
  /** The view's instance, for the guard. */
  view: string;
  /** The view's server, for the guard; that of the upstream by default. */
  server?: string | undefined;
  /** For which kinds of content messages and model context work (`text` by default), what the sandbox granted. */
  details?: CapabilityDetails | undefined;
  /** The context in force, for display modes. */
  context?: (() => HostContext) | undefined;
  /** The display modes that the view is made for; undefined when it did not say. */
  viewModes?: (() => DisplayMode[] | undefined) | undefined;
  /** Hears what a handler or the guard threw and the view must not: it is told that something failed, not what. */
  onreport?: ((error: VitrineError) => void) | undefined;
  /** Hears every notification that the guard let pass, by the name of its handler and before it. */
  onnotice?: ((handler: NoticeHandler, params: object) => void) | undefined;
  /** The view is in another display mode now. */
  onmode?: ((mode: DisplayMode) => void) | undefined;
}

/** The requests that a service answers. */
export type ServiceRequest = Exclude<RequestFrom<"view">, "ping" | "ui/initialize">;
/** The notifications that a service hears. */
export type ServiceNotification = Extract<
  NotificationFrom<"view">,
  "notifications/message" | "ui/notifications/size-changed" | "ui/notifications/request-teardown"
>;

/** The handlers that hear notifications. */
export type NoticeHandler = "log" | "size" | "requestTeardown";

/** Answers a request of a view. */
export type ServiceHandler = (
  params: Record<string, unknown>,
  context: RequestContext,
) => Promise<object | JsonText>;

/** What a host does for one view. */
export interface HostService {
  /** What works now, and never more (I13). */
  readonly capabilities: HostCapabilities;
  /** Answer requests, whose params must have been checked. What does not work here is refused with -32601. */
  readonly requests: { readonly [M in ServiceRequest]: ServiceHandler };
  /** Hear notifications; reject when the guard stopped one. */
  readonly notifications: {
    readonly [M in ServiceNotification]: (params: Record<string, unknown>) => Promise<void>;
  };
  /** Whether the view has subscribed to a resource. */
  hears(uri: unknown): boolean;
  /** Ends the view's subscriptions. */
  close(): void;
}

/** The handler behind each notification. */
const LISTENERS = {
  "notifications/message": "log",
  "ui/notifications/size-changed": "size",
  "ui/notifications/request-teardown": "requestTeardown",
} as const satisfies { [M in ServiceNotification]: NoticeHandler };

/** I04, D17: what may be opened; everything else could run in the host page or start a program. */
const LINKS = /^(https?|mailto):$/;

/**
 * Makes the service of one view.
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

  /** Whether there is anybody to do this: otherwise nobody is asked about it either. */
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
    // I03: what the view may not call it does not see.
    return result && method === "tools/list" ? onlyForApps(result) : result;
  };

  const displayMode: Handler<"ui/request-display-mode", ViewRequest> = async (params, context) => {
    const { displayMode: current = "inline", availableDisplayModes: ours } = options.context?.() ?? {};
    const theirs = options.viewModes?.();
    // I07, C12: a mode that one of them does not have is not even asked for, nor taken from a handler.
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

  /** Passes a call through the guard; what comes out of it may go to the view. */
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
      if (!works(method)) throw new VitrineError(METHOD_NOT_FOUND, "Method not found");
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
        // Of a flood the first refusal says it all.
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
    hears: (uri) => !!subscriptions?.hears(uri),
    close: () => subscriptions?.clear(),
  };
}

/**
 * The error that a view may see. An error with a number is the server's or the guard's answer and passes with
 * its code, message and data; so does one of ours. Anything else may quote what is none of the view's business.
 */
function presentable(error: unknown, method: string, report: ServiceOptions["onreport"]): VitrineError {
  if (error instanceof VitrineError) return error;
  const { code, message, data } = Object(error) as Partial<VitrineError>;
  if (Number.isInteger(code)) return new VitrineError(code as number, `${message}`, { data });
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
