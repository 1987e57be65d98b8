import { Client, type Transport } from "@modelcontextprotocol/client";
import { clientUpstream, hostEndpoint, standardGuard, UiResources } from "@vitrine/guard";
import { isVisibleTo, type Tool, uiExtension } from "@vitrine/protocol";
import type { SandboxedView } from "@vitrine/sandbox";
import { serveSandbox } from "@vitrine/sandbox/node";

const info = { name: "chat", version: "0.1.0" };

export interface BackEndOptions {
  /** Your name for the MCP server. The user sees it beside each app. */
  server: string;
  transport: Transport;
  /** The origin of the chat page: no other page may frame the apps. */
  origin: string;
  /** 32 random bytes. The apps' origins are derived from them. */
  secret: Uint8Array;
  /** The port of the sandbox. */
  port: number;
}

/** Connects to an MCP server, and returns handlers for the requests of the page. */
export async function connect({ server, transport, origin, secret, port }: BackEndOptions) {
  const client = new Client(info, { capabilities: { extensions: uiExtension() } });
  await client.connect(transport);
  const upstream = clientUpstream(client, { server });
  const served = await serveSandbox({ secret, port, hosts: [origin] });

  // Read, check and register every view now, so that apps open without waiting for the server.
  const apps: { tool: Tool; view: SandboxedView }[] = [];
  for (const { tool, document } of await new UiResources(upstream).prefetch()) {
    if (!isVisibleTo(tool, "model")) continue; // Only apps may call this tool.
    try {
      if (!document.ok) throw new Error(document.message);
      apps.push({ tool, view: await served.sandbox.register({ server, ...document }) });
    } catch (error) {
      console.warn(`${tool.name} has no app: ${error}`); // A wrong view does not stop the others.
    }
  }

  // The page asks the user, so the policy allows everything here. The other checks of the guard still apply.
  const guard = standardGuard(upstream, { policy: () => "allow" });
  return {
    /** GET /apps: the tools that have a view. */
    apps: () => Response.json({ server, capabilities: upstream.capabilities, apps }),
    /** POST /rpc: requests of views, with the rights of a view. */
    rpc: hostEndpoint({ info, upstream, guard }),
    /** POST /call: tool calls of the model. */
    async call(request: Request) {
      const { name, input } = await request.json();
      if (!apps.some(({ tool }) => tool.name === name)) return new Response("No such tool", { status: 404 });
      return Response.json(await upstream.request("tools/call", { name, arguments: input }));
    },
    /** For the page's Content-Security-Policy: it may frame the sandbox and nothing else. */
    policy: `frame-src http://*.localhost:${served.port}`,
    close: () => Promise.all([client.close(), served.close()]),
  };
}
