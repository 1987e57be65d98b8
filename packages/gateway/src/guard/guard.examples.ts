import type { UpstreamMethod, ViewCall } from "@vitrine/guard";
import type { Params } from "@vitrine/protocol";
import type { Server } from "@vitrine/servers";
import type { GatewayStore } from "../store/store.js";
import { gatewayGuard } from "./gateway-guard.js";
import type { GatewayAsk } from "./guard-options.js";

export async function gatewayGuardExample(
  server: Server,
  store: Pick<GatewayStore, "audit" | "consents">,
  ask: GatewayAsk,
  asked: ViewCall,
) {
  //#region gatewayGuard
  const guard = gatewayGuard({
    server,
    user: "ann",
    settings: { policy: {}, strict: false, audit: { payloads: "none", redact: [] } },
    store,
    ask,
    views: (view) => (view === "v1" ? { session: "s1", tool: "show" } : undefined),
  });
  const call = { ...asked, actor: "view", user: "ann", key: "nonce.1" } as const;
  const result = await guard.pass(call, ({ method, params }) =>
    server.upstream.request(method as UpstreamMethod, params as Params<UpstreamMethod>),
  );
  //#endregion gatewayGuard
  return result;
}
