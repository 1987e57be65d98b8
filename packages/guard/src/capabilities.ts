/**
 * Derives the capabilities of a host from its handlers.
 *
 * @module
 */
import type { HostCapabilities } from "@vitrine/protocol";
import type { HostHandlers } from "./handlers.js";
import type { Upstream } from "./upstream/upstream.js";

/** Details of capabilities. Each counts only if the feature itself exists. */
export type CapabilityDetails = Pick<
  HostCapabilities,
  "experimental" | "message" | "sampling" | "sandbox" | "updateModelContext"
>;

const TEXT = { text: {} };

/** The capabilities that work, and no others. */
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
  // Absent keys are omitted: not every view treats `undefined` as absent.
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value));
}
