/**
 * Shows a gateway's view in an `<mcp-app>`.
 *
 * @module
 */
import { type CallToolResult, JsonText, recordOf } from "@vitrine/protocol";
import type { Bridge } from "../bridge.js";
import type { AppFrameOptions } from "../frame/frame.js";
import type { FrameView } from "../frame/proxy-frame.js";
import type { GatewayView } from "./view.js";

/** Options of an app behind a gateway; the gateway provides the rest. */
export type GatewayAppOptions = Omit<
  AppFrameOptions,
  "view" | "title" | "upstream" | "guard" | "instance"
> & {
  /** The app's title; the tool's title by default. */
  title?: string | undefined;
};

/** The part of an `<mcp-app>` that {@link showView} needs. */
export interface AppPlace {
  app: AppFrameOptions | undefined;
  readonly bridge:
    | Pick<Bridge, "sendToolInput" | "sendToolInputPartial" | "sendToolResult" | "sendToolCancelled">
    | undefined;
}

/**
 * The options of an `<mcp-app>` or `AppFrame` for a gateway's view. The caller, or {@link showView}, must
 * send it its call.
 */
export function gatewayApp(view: GatewayView, options: GatewayAppOptions): AppFrameOptions {
  const { tool, uri } = view.opened;
  return {
    title: tool?.title ?? tool?.annotations?.title ?? tool?.name ?? uri,
    fallback: () => textOf(view.result),
    ...options,
    instance: view.id,
    upstream: view.upstream,
    guard: view.guard,
    // biome-ignore lint/suspicious/noThenProperty: read anew with each mount; a gateway that was restarted has it elsewhere.
    view: { then: (...heard) => placeOf(view).then(...heard) },
    context: { ...(tool && { toolInfo: { tool } }), ...options.context },
  };
}

/**
 * Shows a gateway's view in an `<mcp-app>`, with its input and result so far, and later ones.
 *
 * @example
 * ```ts source="./gateway.examples.ts#showView"
 * const gateway = connectGateway({ url: "/api/session", onask: askInPage });
 * const show = (view: GatewayView): void => {
 *   const element = document.createElement("mcp-app");
 *   showView(element, view, { info: { name: "my-chat", version: "1.0.0" } });
 *   place.append(element);
 * };
 * // After a reload: this tab's views.
 * for (const view of await gateway.restoreViews()) show(view);
 * show(await gateway.openView({ server: "weather", tool: "forecast", arguments: { city: "Rome" } }));
 * ```
 */
export function showView(element: AppPlace, view: GatewayView, options: GatewayAppOptions): void {
  element.app = gatewayApp(view, options);
  const { bridge } = element;
  const { input, result, cancelled } = view.opened;
  if (input) bridge?.sendToolInput(input);
  if (result) bridge?.sendToolResult(result);
  if (cancelled !== undefined) bridge?.sendToolCancelled(cancelled);
  view.onnotice = ({ method, params }) => {
    if (method === "ui/notifications/tool-input-partial") bridge?.sendToolInputPartial(params.arguments);
    else if (method === "ui/notifications/tool-input") bridge?.sendToolInput(params.arguments);
    else if (method === "ui/notifications/tool-result") bridge?.sendToolResult(params);
    else bridge?.sendToolCancelled(params.reason);
  };
}

async function placeOf({ opened: { place, problem } }: GatewayView): Promise<FrameView> {
  if (place) return place;
  // The frame shows it instead of the app.
  throw Object.assign(new Error(problem?.message), problem);
}

function textOf(result: CallToolResult | JsonText | undefined): string {
  const { content } = recordOf(result instanceof JsonText ? result.parse() : result);
  // The result comes from the server, and may be anything.
  return [content]
    .flat()
    .map((block) => Object(block).text)
    .join("\n");
}
