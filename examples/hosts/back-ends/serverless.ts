import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { clientUpstream, hostEndpoint, standardGuard, UiResources, type Upstream } from "@vitrine/guard";
import { isVisibleTo, uiExtension } from "@vitrine/protocol";
import { type RecordStore, Sandbox } from "@vitrine/sandbox";

const info = { name: "chat", version: "0.1.0" };

export interface ServerlessOptions {
  /** The address of the MCP server. */
  url: string;
  /** At least 16 bytes; the same for all instances. */
  secret: string;
  /** A store that all instances reach. */
  records: RecordStore;
  userOf(request: Request): Promise<string | undefined> | string | undefined;
}

/** Handlers that keep nothing between two requests: each may run in another instance. */
export function serverless({ url, secret, records, userOf }: ServerlessOptions) {
  const hosts = ["https://chat.example"];
  const sandbox = new Sandbox({ secret, hosts, records, origin: "https://{role}-{label}.apps.example.com" });

  /** Connects to the server for one request. */
  async function withServer(
    request: Request,
    answer: (upstream: Upstream, user: string) => Promise<Response>,
  ): Promise<Response> {
    const user = await userOf(request); // Before anything is done for a stranger.
    if (user === undefined) return new Response("Sign in first", { status: 401 });
    const transport = new StreamableHTTPClientTransport(new URL(url));
    const client = new Client(info, { capabilities: { extensions: uiExtension() } });
    try {
      await client.connect(transport);
      return await answer(clientUpstream(client, { server: "clock" }), user);
    } finally {
      await transport.terminateSession().catch(() => {});
      await client.close();
    }
  }

  return {
    /** GET /apps: registers the views, in the store. */
    apps: (request: Request) =>
      withServer(request, async (upstream) => {
        const apps = [];
        for (const { tool, document } of await new UiResources(upstream).prefetch()) {
          if (!document.ok || !isVisibleTo(tool, "model")) continue;
          try {
            apps.push({ tool, view: await sandbox.register({ server: upstream.server, ...document }) });
          } catch (error) {
            console.warn(`${tool.name} has no app: ${error}`); // A wrong view does not stop the others.
          }
        }
        return Response.json({ server: upstream.server, capabilities: upstream.capabilities, apps });
      }),
    /** POST /rpc: one request of a view. */
    rpc: (request: Request) =>
      withServer(request, (upstream, user) => {
        // The page asks the user, so the policy allows everything here.
        const guard = standardGuard(upstream, { policy: () => "allow" });
        return hostEndpoint({ info, upstream, guard, view: user })(request);
      }),
    /** Every request for a name of the sandbox. */
    views: (request: Request) => sandbox.fetch(request),
  };
}
