import { type AppCapabilities, Peer, type RequestContext } from "@vitrine/protocol";

/** The peer of an {@link App}. */
export class AppPeer extends Peer<"view"> {
  /** The app's capabilities. Without `tools`, the tool methods are not found. */
  offers: AppCapabilities = {};

  /** Adds `mcpReq`, the official SDK's name for the request context, to the context that handlers get. */
  protected override answer(method: string, params: object, request?: unknown): Promise<object> {
    const { requestId, signal, progress } = request as RequestContext;
    const mcpReq = { requestId, signal, progress, id: requestId, method };
    const isOffered = this.offers.tools || !method.startsWith("tools/");
    return super.answer(isOffered ? method : "", params, { ...mcpReq, mcpReq });
  }
}
