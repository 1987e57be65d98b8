/**
 * The server behind a view: the host's handlers, and then the client.
 *
 * @module
 */
import type { ServerCapabilities, Upstream, UpstreamRequestOptions } from "@vitrine/guard";
import { METHOD_NOT_FOUND, VitrineError } from "@vitrine/protocol";
import type { ParamsHandler } from "./event-handlers.js";
import type { RequestHandlerExtra } from "./types.js";

/** Parts of a {@link hostUpstream}. */
export interface HostUpstreamParts {
  /** The client's server. */
  remote: Upstream | undefined;
  handlerOf: (method: string) => ParamsHandler | undefined;
  fallbackOf: (method: string) => ParamsHandler | undefined;
  extraOf: (
    method: string,
    params: Record<string, unknown>,
    options: UpstreamRequestOptions,
  ) => RequestHandlerExtra;
}

/** The requests of a view by the capability that a server needs for them. */
const METHODS = {
  tools: ["tools/call", "tools/list"],
  resources: ["resources/read", "resources/list", "resources/templates/list"],
  prompts: ["prompts/list", "prompts/get"],
} as const;

/** Makes the server of a view. Its capabilities follow the handlers, which may be set at any time. */
export function hostUpstream(
  server: string,
  { remote, handlerOf, fallbackOf, extraOf }: HostUpstreamParts,
): Upstream {
  const has = (method: string): boolean => !!(handlerOf(method) ?? fallbackOf(method));
  return {
    server,
    get capabilities(): ServerCapabilities {
      const { tools, resources, prompts, ...others } = remote?.capabilities ?? {};
      const subscribe = has("resources/subscribe") || resources?.subscribe;
      return {
        ...others,
        tools: tools ?? (METHODS.tools.some(has) ? {} : undefined),
        resources: resources || METHODS.resources.some(has) ? { ...resources, subscribe } : undefined,
        prompts: prompts ?? (METHODS.prompts.some(has) ? {} : undefined),
      };
    },
    async request(method, params, options = {}) {
      const kind = method.split("/")[0] as keyof ServerCapabilities;
      const isRemote = !handlerOf(method) && remote?.capabilities[kind];
      if (isRemote) return remote.request(method, params, options);
      const handler = handlerOf(method) ?? fallbackOf(method);
      if (!handler) throw new VitrineError(METHOD_NOT_FOUND, "Method not found");
      const given = params as Record<string, unknown>;
      return (await handler(given, extraOf(method, given, options))) as never;
    },
    listen: (listener) => remote?.listen(listener) ?? (() => {}),
  };
}
