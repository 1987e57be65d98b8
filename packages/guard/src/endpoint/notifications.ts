/**
 * What a host says to a view, as messages: for back ends that hand them to a page, which posts them into the frame.
 * A `Bridge` makes its own, and keeps them until the view is ready (L03, L11); whoever sends these must.
 *
 * @module
 */
import {
  type CallToolResult,
  encodeNotification,
  encodeRequest,
  type HostContext,
  JsonText,
  type NotificationMessage,
  type RequestId,
  type RequestMessage,
} from "@vitrine/protocol";

/**
 * Says what the tool was called with, all of it (L04).
 *
 * @example
 * ```ts source="./http-endpoint.examples.ts#notifyToolInput"
 * send(notifyToolInput({ city: "Rome" }));
 * // { jsonrpc: "2.0", method: "ui/notifications/tool-input", params: { arguments: { city: "Rome" } } }
 * ```
 */
export function notifyToolInput(
  input: Record<string, unknown> = {},
): NotificationMessage<"ui/notifications/tool-input"> {
  return encodeNotification("ui/notifications/tool-input", { arguments: input });
}

/**
 * Says what the tool will be called with, as far as the model has written it (L05).
 *
 * @example
 * ```ts source="./http-endpoint.examples.ts#notifyToolInputPartial"
 * send(notifyToolInputPartial({ city: "Ro" }));
 * // { jsonrpc: "2.0", method: "ui/notifications/tool-input-partial", params: { arguments: { city: "Ro" } } }
 * ```
 */
export function notifyToolInputPartial(
  input: Record<string, unknown>,
): NotificationMessage<"ui/notifications/tool-input-partial"> {
  return encodeNotification("ui/notifications/tool-input-partial", { arguments: input });
}

/**
 * Says what the tool call came to, errors included (L06). A result that is text still is parsed: a message is a value.
 *
 * @example
 * ```ts source="./http-endpoint.examples.ts#notifyToolResult"
 * send(notifyToolResult(result));
 * ```
 */
export function notifyToolResult(
  result: CallToolResult | JsonText,
): NotificationMessage<"ui/notifications/tool-result"> {
  const value = result instanceof JsonText ? (result.parse() as CallToolResult) : result;
  return encodeNotification("ui/notifications/tool-result", value);
}

/**
 * Says that there will be no result (L07).
 *
 * @example
 * ```ts source="./http-endpoint.examples.ts#notifyToolCancelled"
 * send(notifyToolCancelled("the person stopped it"));
 * ```
 */
export function notifyToolCancelled(reason?: string): NotificationMessage<"ui/notifications/tool-cancelled"> {
  return encodeNotification("ui/notifications/tool-cancelled", withReason(reason));
}

/**
 * Says what changed around the view, and only that (X02): the view keeps the rest.
 *
 * @example
 * ```ts source="./http-endpoint.examples.ts#notifyHostContextChanged"
 * send(notifyHostContextChanged({ theme: "dark" }));
 * ```
 */
export function notifyHostContextChanged(
  partial: HostContext,
): NotificationMessage<"ui/notifications/host-context-changed"> {
  return encodeNotification("ui/notifications/host-context-changed", partial);
}

/**
 * Asks the view to finish, before its frame goes (L08). A request: the view answers under this id. Wait for that, but
 * not for ever.
 *
 * @example
 * ```ts source="./http-endpoint.examples.ts#notifyResourceTeardown"
 * send(notifyResourceTeardown("the conversation was closed", 42));
 * // { jsonrpc: "2.0", id: 42, method: "ui/resource-teardown", params: { reason: "the conversation was closed" } }
 * ```
 */
export function notifyResourceTeardown(
  reason: string | undefined,
  id: RequestId,
): RequestMessage<"ui/resource-teardown"> {
  return encodeRequest(id, "ui/resource-teardown", withReason(reason));
}

/** No key for no reason: not every view reads `undefined` as absent. */
const withReason = (reason: string | undefined): { reason?: string } =>
  reason === undefined ? {} : { reason };
