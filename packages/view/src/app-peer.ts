import { type AppCapabilities, Peer, type RequestContext } from "@vitrine/protocol";

/** The peer of an {@link App}. */
export class AppPeer extends Peer<"view"> {
  /** What the app can do for the host: without tools there are no methods for them. */
  offers: AppCapabilities = {};

  /** Handlers find what they know about the request under the official SDK's name as well. */
  protected override answer(method: string, params: object, request?: unknown): Promise<object> {
    const { requestId, signal, progress } = request as RequestContext;
    const mcpReq = { requestId, signal, progress, id: requestId, method };
    const isOffered = this.offers.tools || !method.startsWith("tools/");
    return super.answer(isOffered ? method : "", params, { ...mcpReq, mcpReq });
  }
}
