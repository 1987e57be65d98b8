/**
 * A view reaches only the server it came from.
 *
 * @module
 */
import { HOST_END } from "@vitrine/protocol";
import type { Link, ViewCall } from "./link.js";
import { arrayAt, resultObject } from "./listing.js";
import { Refusal } from "./refusal.js";
import type { ResourceDirectory } from "./resource-directory.js";

/** What else {@link ownServerOnly} lets through. */
export interface BoundaryOptions {
  /** Says yes to a resource that the server serves and never names. Called for those alone. */
  allowResource?: ((uri: string, call: ViewCall) => boolean) | undefined;
}

/**
 * Refuses what is not in the method table (attack C07), calls in another server's name (C03), the context of other
 * servers, and resources that are not the server's own (C04, attack C06; {@link ResourceDirectory} has the rule).
 * The last holds for `resources/read`, `resources/subscribe` and the links in a `ui/download-file`.
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
      throw new Refusal("other-server", `a view reaches its own server alone: "${call.server}"`);
    }
    for (const uri of resourcesOf(call)) {
      if (allowResource?.(uri, call) || (await resources.has(uri))) continue;
      const message = "the server does not name this resource: list it, give it a template, or link to it";
      throw new Refusal("resource-unknown", message);
    }
    const result = await next(call);
    if (method === "tools/call") resources.learn(result);
    // A server that never says "changed" still can: a view that looks for itself is believed.
    if (method === "resources/list" || method === "resources/templates/list") resources.refresh();
    return result;
  };

const METHODS = { ...HOST_END.requests, ...HOST_END.notifications };

/** C07: names of the table alone, and none of the sandbox's own, which no view may forge (B04). */
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
