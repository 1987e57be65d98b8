/**
 * Pages of a real gateway, in Node: signed in, connected by a WebSocket, and not rendered.
 */
import { connectGateway, type GatewayClient, type GatewayClientOptions } from "@vitrine/host/gateway";
import NodeSocket from "ws";

/** The cookie of a browser that opens a sign-in link of the gateway. */
export async function signIn(loginUrl: string): Promise<string> {
  const { headers } = await fetch(loginUrl, { redirect: "manual" });
  return headers.getSetCookie()[0]?.split(";", 1)[0] ?? "";
}

/** Connects a page, as a browser with this cookie would. */
export function connectPage(
  origin: () => string,
  cookie: string,
  storage: Storage,
  options: Omit<GatewayClientOptions, "url">,
): GatewayClient {
  class Socket extends NodeSocket {
    constructor() {
      super(`${origin().replace("http", "ws")}/api/session`, { headers: { cookie, origin: origin() } });
    }
  }
  return connectGateway({
    url: `${origin()}/api/session`,
    storage,
    WebSocket: Socket as unknown as typeof WebSocket,
    // The page falls back to HTTP when the gateway is away for a moment. A browser would send its cookie
    // there too.
    fetch: (url, init) =>
      fetch(url, { ...init, headers: { ...Object(init?.headers), cookie, origin: origin() } }),
    ...options,
  });
}
