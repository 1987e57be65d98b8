/**
 * What a host can do for a view, from what it has.
 *
 * @module
 */
import type { HostCapabilities } from "@vitrine/protocol";
import type { HostHandlers } from "./handlers.js";
import type { Upstream } from "./upstream/upstream.js";

/** Details of what a host can do. Each counts only where the thing itself exists (I13). */
export type CapabilityDetails = Pick<
  HostCapabilities,
  "experimental" | "message" | "sampling" | "sandbox" | "updateModelContext"
>;

const TEXT = { text: {} };

/** What works, and never more (I13). */
export function capabilitiesOf(
  upstream: Upstream | undefined,
  handlers: HostHandlers,
  { experimental, sandbox, message = TEXT, updateModelContext = TEXT, sampling = {} }: CapabilityDetails = {},
): HostCapabilities {
  const { tools, resources } = upstream?.capabilities ?? {};
  const all: HostCapabilities = {
    experimental,
    sandbox,
    openLinks: handlers.openLink && {},
    downloadFile: handlers.downloadFile && {},
    serverTools: tools && { listChanged: !!tools.listChanged },
    serverResources: resources && { listChanged: !!resources.listChanged },
    logging: handlers.log && {},
    updateModelContext: handlers.updateModelContext && updateModelContext,
    message: handlers.message && message,
    sampling: handlers.createMessage && sampling,
  };
  // What is absent is absent: not every view reads `undefined` as that.
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value));
}
