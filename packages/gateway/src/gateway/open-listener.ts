/**
 * Opens the sandbox and the listener.
 *
 * @module
 */
import { serveSandbox } from "@vitrine/sandbox/node";
import type { GatewayApi } from "../http/api.js";
import { listen } from "../http/listener.js";
import type { Metrics } from "../http/metrics.js";
import type { GatewayParts } from "./parts.js";
import { frameSource, sandboxSecret } from "./sandbox-origins.js";

/**
 * Opens both at once, because each needs the other's port: the page's policy names the frames, and theirs
 * names the page.
 */
export async function openListener(parts: GatewayParts, api: GatewayApi, metrics: Metrics): Promise<void> {
  const { counts, log, settings, sockets, streams } = parts;
  const { listen: at, sandbox, dataFolder } = settings;
  const { shared } = parts.disk;
  const { static: files } = parts.options;
  const { nodes: routing } = parts.disk.store;
  const links = routing && parts.disk.links?.start({ routing, registry: parts.registry, counts });
  if (links) {
    parts.sessions = links.sessions;
    parts.connectNode = links.connect;
  }
  parts.sandbox = await serveSandbox({
    secret: shared?.sandboxSecret ?? (await sandboxSecret(dataFolder)),
    records: shared?.documents,
    address: sandbox.host,
    port: sandbox.port,
    origin: sandbox.origin,
    publicSuffix: sandbox.publicSuffix,
    console: sandbox.console,
    dialects: sandbox.dialects,
    onerror: (error) => log.error({ err: error }, "the sandbox failed"),
    hostsAt: async (port) => {
      parts.listener = await listen({
        host: at.host,
        port: at.port,
        origin: at.origin,
        allowRemote: at.allowRemote,
        api,
        auth: parts.auth,
        transports: {
          upgrade: (request, socket, head, caller) => sockets.upgrade(request, socket, head, caller),
          frames: (asked, caller) => streams.post(asked, caller),
          events: (asked, outgoing, caller) => streams.stream(asked, outgoing, caller),
        },
        static: files && { ...files, frames: [frameSource(sandbox.origin, port)] },
        metrics,
        counts,
        log,
        elsewhere: links?.elsewhere,
        stopping: parts.drain,
        access: () => parts.settings.log.access,
      });
      links?.serve(parts.listener);
      // Browsers ignore IPv6 addresses in a policy: a page there could show no app anyway.
      return parts.listener.origins.filter((origin) => !origin.includes("["));
    },
  });
}
