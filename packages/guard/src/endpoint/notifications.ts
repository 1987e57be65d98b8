/**
 * Messages of a host to a view: for back ends that pass them to a page, which posts them into the frame. A
 * `Bridge` creates its own, and queues them until the view is ready; senders of these must do the same.
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
 * Creates the notification with the tool's complete arguments.
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
 * Creates the notification with the arguments received so far.
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
 * Creates the notification with the result of the tool call, including errors. JSON text is parsed, because a
 * message is a value.
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
 * Creates the notification that the tool call was cancelled.
 *
 * @example
 * ```ts source="./http-endpoint.examples.ts#notifyToolCancelled"
 * send(notifyToolCancelled("the user stopped it"));
 * ```
 */
export function notifyToolCancelled(reason?: string): NotificationMessage<"ui/notifications/tool-cancelled"> {
  return encodeNotification("ui/notifications/tool-cancelled", withReason(reason));
}

/**
 * Creates the notification with changed keys of the host context; the view keeps the rest.
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
 * Creates the request to finish, before the frame is removed. The view answers under this id. Wait for the
 * answer, with a timeout.
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

/** Omits the key without a reason: not every view treats `undefined` as absent. */
const withReason = (reason: string | undefined): { reason?: string } =>
  reason === undefined ? {} : { reason };
