/**
 * Restricts a view to its own server.
 *
 * @module
 */
import { HOST_END } from "@vitrine/protocol";
import type { Link, ViewCall } from "./link.js";
import { arrayAt, resultObject } from "./listing.js";
import { Refusal } from "./refusal.js";
import type { ResourceDirectory } from "./resource-directory.js";

/** Options of {@link ownServerOnly}. */
export interface BoundaryOptions {
  /** Allows a resource that the server serves but never names. Called only for those. */
  allowResource?: ((uri: string, call: ViewCall) => boolean) | undefined;
}

/**
 * Refuses methods outside the method table, calls in another server's name, the context of other servers, and
 * resources that are not the server's own ({@link ResourceDirectory} has the rule). The last applies to
 * `resources/read`, `resources/subscribe` and the links in a `ui/download-file`.
 *
 * @example
 * ```ts source="./guard.examples.ts#ownServerOnly"
 * const boundary = ownServerOnly(upstream.server, resources, {
 *   // This server serves tiles that it neither lists nor has a template for.
 *   allowResource: (uri) => /^tile:\/\/\d+\/\d+\/\d+$/.test(uri),
 * });
 * ```
 */
export const ownServerOnly =
  (server: string, resources: ResourceDirectory, { allowResource }: BoundaryOptions = {}): Link =>
  async (call, next) => {
    const { method, params } = call;
    if (!isFromView(method)) throw new Refusal("method-unknown", `a view may not send ${method}`);
    const named = params["server"] ?? server;
    if (call.server !== server || named !== server || params["includeContext"] === "allServers") {
      throw new Refusal("other-server", `a view can only reach its own server: "${call.server}"`);
    }
    for (const uri of resourcesOf(call)) {
      if (allowResource?.(uri, call) || (await resources.has(uri))) continue;
      const message = "the server does not name this resource: list it, give it a template, or link to it";
      throw new Refusal("resource-unknown", message);
    }
    const result = await next(call);
    if (method === "tools/call") resources.learn(result);
    // A server may change without a notification, so a view's own listing invalidates the cache.
    if (method === "resources/list" || method === "resources/templates/list") resources.refresh();
    return result;
  };

const METHODS = { ...HOST_END.requests, ...HOST_END.notifications };

/** Only methods of the table, and none of the sandbox's own, which no view may forge. */
const isFromView = (method: string): boolean =>
  !method.includes("/sandbox-") && Object.hasOwn(METHODS, method);

function resourcesOf({ method, params }: ViewCall): string[] {
  if (method === "resources/read" || method === "resources/subscribe") return [String(params["uri"])];
  if (method !== "ui/download-file") return [];
  return arrayAt(params, "contents").flatMap((entry) => {
    const { type, uri } = resultObject(entry);
    return type === "resource_link" ? [String(uri)] : [];
  });
}
