/** Examples for the doc comments of the service and the upstream; compiled with the tests. */
import { Client, type Transport as ClientTransport } from "@modelcontextprotocol/client";
import type { DisplayMode } from "@vitrine/protocol";
import type { HostHandlers } from "./handlers.js";
import { standardGuard } from "./links/standard.js";
import { hostService } from "./service.js";
import { clientUpstream } from "./upstream/client-upstream.js";
import type { Upstream } from "./upstream/upstream.js";

export async function fromClient(transport: ClientTransport): Promise<Upstream> {
  //#region clientUpstream
  const client = new Client({ name: "my-chat", version: "1.0.0" });
  await client.connect(transport);
  const upstream = clientUpstream(client, { server: "weather" });
  //#endregion clientUpstream
  return upstream;
}

export function handlers(chat: {
  add(content: unknown, from: string): void;
  context: unknown;
  setMode(mode: DisplayMode): DisplayMode;
}): HostHandlers {
  //#region hostHandlers
  const handlers: HostHandlers = {
    message: ({ content }, { server }) => chat.add(content, server),
    updateModelContext: (context) => {
      chat.context = context;
    },
    requestDisplayMode: ({ mode }) => ({ mode: chat.setMode(mode) }),
  };
  //#endregion hostHandlers
  return handlers;
}

export async function service(upstream: Upstream, handlers: HostHandlers): Promise<object> {
  //#region hostService
  const { capabilities, requests } = hostService({
    upstream,
    guard: standardGuard(upstream),
    handlers,
    view: "view-1",
  });
  // `capabilities` goes into the answer to `ui/initialize`; then, for a request whose params were checked:
  const context = { requestId: 1, signal: AbortSignal.timeout(60_000), progress: undefined };
  const result = await requests["tools/call"]({ name: "forecast" }, context);
  //#endregion hostService
  return { capabilities, result };
}
