/**
 * Answers one message of a view for {@link hostEndpoint}.
 *
 * @module
 */
import {
  type HostCapabilities,
  INTERNAL_ERROR,
  METHOD_NOT_FOUND,
  negotiateVersion,
  type RequestId,
  type Result,
  recordOf,
  VitrineError,
} from "@vitrine/protocol";
import type { AppDetails } from "../bridge-events.js";
import type { HostHandlers } from "../handlers.js";
import { isRefusal } from "../links/refusal.js";
import { type HostService, hostService, type ServiceNotification, type ServiceRequest } from "../service.js";
import type { Upstream } from "../upstream/upstream.js";
import { type HttpFailure, statusOf } from "./http-answer.js";
import type { HostEndpointOptions } from "./http-endpoint.js";

/** A request or, without an id, a notification. Its params were checked. */
export interface HttpMessage {
  id?: RequestId | undefined;
  method: string;
  params: Record<string, unknown>;
}

/** A request, from `init` to its end. */
export class HttpExchange<C> {
  readonly #options: HostEndpointOptions<C>;
  readonly #request: Request;
  readonly #message: HttpMessage;
  #context: C | undefined;
  /** A callback's error that the service hid. */
  #hidden: { cause: unknown } | undefined;

  constructor(options: HostEndpointOptions<C>, request: Request, message: HttpMessage) {
    this.#options = options;
    this.#request = request;
    this.#message = message;
  }

  /** The answer. Throws errors for {@link fail}. */
  async serve(): Promise<object> {
    const { init, initialized, teardownResponse } = this.#options;
    const { id, method, params } = this.#message;
    const context = (await init?.(this.#request)) as C;
    this.#context = context;
    switch (method) {
      case "ping":
        return {};
      case "ui/initialize":
        return this.#greet(context, params as unknown as AppDetails);
      case "ui/notifications/initialized":
        await initialized?.(context);
        return {};
      case "ui/resource-teardown":
        await teardownResponse?.(context);
        return {};
    }
    const handlers = await this.#handlers(context);
    if (method === "ui/request-display-mode" && !handlers.requestDisplayMode) throw unsupported(method);
    const service = await this.#service(context, handlers, {});
    if (id === undefined) {
      await service.notifications[method as ServiceNotification]?.(params);
      return {};
    }
    const { signal } = this.#request;
    return service.requests[method as ServiceRequest](withoutToken(params), {
      requestId: id,
      signal,
      progress: undefined,
    });
  }

  async #greet(context: C, app: AppDetails): Promise<Result<"ui/initialize">> {
    const { hostCapabilities = {}, hostContext = {} } =
      (await this.#options.initialize?.(context, app)) ?? {};
    const service = await this.#service(context, await this.#handlers(context), hostCapabilities);
    return {
      protocolVersion: negotiateVersion(app.protocolVersion),
      hostInfo: this.#options.info,
      hostCapabilities: service.capabilities,
      hostContext,
    };
  }

  async #handlers(context: C): Promise<HostHandlers> {
    const { handlers = {} } = this.#options;
    return typeof handlers === "function" ? handlers(context) : handlers;
  }

  async #service(context: C, handlers: HostHandlers, details: HostCapabilities): Promise<HostService> {
    const { upstream, guard, server, view = "http" } = this.#options;
    const found = typeof upstream === "function" ? await upstream(context) : upstream;
    return hostService({
      upstream: found && this.#overHttp(found, details),
      handlers,
      guard,
      server,
      details,
      view: typeof view === "function" ? view(context) : view,
      onreport: ({ cause }) => {
        this.#hidden = { cause };
      },
      // The handler knows the current mode: it is called for any mode, and its answer counts.
      context: () => ({
        displayMode: this.#message.params["mode"] === "inline" ? "fullscreen" : "inline",
        availableDisplayModes: ["inline", "fullscreen", "pip"],
      }),
    });
  }

  /**
   * A server, as far as HTTP supports it; its failures become results, which a view and its model can read.
   */
  #overHttp(upstream: Upstream, said: HostCapabilities): Upstream {
    const { tools, resources, prompts } = upstream.capabilities;
    const { serverTools, serverResources } = said;
    return {
      server: upstream.server,
      capabilities: {
        tools: tools && { listChanged: tools.listChanged && serverTools?.listChanged },
        resources: resources && { listChanged: resources.listChanged && serverResources?.listChanged },
        prompts: prompts && {},
      },
      request: async (method, params, options) => {
        try {
          return await upstream.request(method, params, options);
        } catch (error) {
          if (method !== "tools/call" || options?.signal?.aborted) throw error;
          const text = this.#explain(error);
          return { content: [{ type: "text", text }], isError: true } as Result<typeof method>;
        }
      },
      listen: (listener) => upstream.listen(listener),
    };
  }

  /** The answer for an error. */
  fail(thrown: unknown): HttpFailure {
    const error = this.#hidden ? this.#hidden.cause : thrown;
    // Nobody receives the answer to a notification.
    if (this.#message.id === undefined && error instanceof VitrineError) report(this.#options, error);
    const { code, data, message } = coded(error) ?? { code: undefined, data: undefined, message: "" };
    if (code === METHOD_NOT_FOUND && data === undefined && message === "Method not found") {
      return this.fail(unsupported(this.#message.method));
    }
    const number = typeof code === "number" ? code : INTERNAL_ERROR;
    const failure = { status: statusOf(number), code: number, message: this.#explain(error), data };
    if (!isRefusal(error) || number === METHOD_NOT_FOUND) return failure;
    const { code: word, retryAfter = 0 } = error.data;
    if (word !== "rate-limited") return { ...failure, status: word === "too-large" ? 413 : 403 };
    return { ...failure, status: 429, headers: { "retry-after": String(Math.ceil(retryAfter / 1000)) } };
  }

  /** The message for the view about an error. */
  #explain(error: unknown): string {
    const meant = coded(error);
    if (meant) return meant.message;
    const failed = `${this.#message.method} failed`;
    report(this.#options, new VitrineError("listener-failed", failed, { cause: error }));
    try {
      return this.#options.explain?.(error, this.#context as C) ?? failed;
    } catch {
      return failed;
    }
  }
}

/**
 * An error that is meant for the view: a VitrineError, or one with a JSON-RPC code. Others may quote
 * anything.
 */
function coded(error: unknown): Pick<VitrineError, "code" | "message" | "data"> | undefined {
  if (error instanceof VitrineError) return error;
  try {
    const { code, message, data } = recordOf(error);
    return Number.isInteger(code) ? { code: Number(code), message: `${message}`, data } : undefined;
  } catch {
    return undefined;
  }
}

/** Progress tokens belong to one channel, and this one has no progress. */
function withoutToken(params: Record<string, unknown>): Record<string, unknown> {
  const { progressToken, ..._meta } = recordOf(params["_meta"]);
  return progressToken === undefined ? params : { ...params, _meta };
}

const unsupported = (method: string): VitrineError =>
  new VitrineError(METHOD_NOT_FOUND, "Method not supported", {
    data: { message: `this host does not support ${method}` },
  });

/** Reports to the host; an error of its listener is dropped. */
export function report({ onreport }: Pick<HostEndpointOptions, "onreport">, error: VitrineError): void {
  try {
    onreport?.(error);
  } catch {}
}
