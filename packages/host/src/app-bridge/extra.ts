/**
 * The second argument of handlers.
 *
 * @module
 */
import { type RequestContext, recordOf } from "@vitrine/protocol";
import type { AppBridge } from "./app-bridge.js";
import type { RequestHandlerExtra, SdkMessage } from "./types.js";

/** A request's context in the form of both generations of the SDK. */
export function extraOf(
  bridge: AppBridge,
  method: string,
  params: Record<string, unknown>,
  { requestId, signal, progress }: RequestContext,
): RequestHandlerExtra {
  // The view's own token stays in its channel: here, the request's id stands for it.
  const _meta = { ...recordOf(params["_meta"]), ...(progress && { progressToken: requestId }) };
  const notify = async (notification: SdkMessage): Promise<void> => {
    if (notification.method !== "notifications/progress") return bridge.notification(notification);
    const { progressToken, ...update } = recordOf(notification.params);
    progress?.(update as { progress: number });
  };
  const send: RequestHandlerExtra["sendRequest"] = (request, ...rest) => bridge.request(request, ...rest);
  return {
    requestId,
    signal,
    _meta,
    sendNotification: notify,
    sendRequest: send,
    mcpReq: { id: requestId, method, signal, _meta, notify, send },
  };
}
