import { type BackEndOptions, connect } from "./back-end.js";

interface ServersOptions extends Omit<BackEndOptions, "server" | "transport"> {
  /** The MCP servers, by your names for them. */
  transports: Record<string, BackEndOptions["transport"]>;
}

/** Connects to several MCP servers. Their apps share the sandbox, and each server has routes of its own. */
export async function connectAll({ transports, ...options }: ServersOptions) {
  const connecting = Object.entries(transports).map(
    async ([server, transport]) => [server, await connect({ server, transport, ...options })] as const,
  );
  const servers = new Map(await Promise.all(connecting));
  /** Passes a request to the server that its path names: `/rpc/<server>`. */
  const route = (kind: "rpc" | "call") => async (request: Request) => {
    const [, , name = ""] = new URL(request.url).pathname.split("/");
    const server = servers.get(decodeURIComponent(name));
    return server ? server[kind](request) : new Response("No such server", { status: 404 });
  };
  return {
    /** GET /apps: the tools of all servers that have a view. */
    apps: async () =>
      Response.json(await Promise.all([...servers.values()].map((each) => each.apps().json()))),
    /** POST /rpc/<server>: requests of views reach their own server only. */
    rpc: route("rpc"),
    /** POST /call/<server>: tool calls of the model. */
    call: route("call"),
    close: () => Promise.all([...servers.values()].map((each) => each.close())),
  };
}
