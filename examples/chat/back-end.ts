import { Client, type Transport } from "@modelcontextprotocol/client";
import { clientUpstream, hostEndpoint, standardGuard, UiResources } from "@vitrine/guard";
import { isVisibleTo, type Tool, uiExtension } from "@vitrine/protocol";
import type { Sandbox, SandboxedView } from "@vitrine/sandbox";

const info = { name: "chat", version: "0.1.0" };

export interface BackEndOptions {
  /** Your name for the MCP server. The user sees it beside each app. */
  server: string;
  transport: Transport;
  sandbox: Sandbox;
  /** The signed-in user of a request. */
  userOf(request: Request): string | undefined;
}

/** Connects to an MCP server, and returns handlers for the requests of the page. */
export async function connect({ server, transport, sandbox, userOf }: BackEndOptions) {
  const client = new Client(info, { capabilities: { extensions: uiExtension() } });
  await client.connect(transport);
  const upstream = clientUpstream(client, { server });

  // Read, check and register every view now, so that apps open without waiting for the server.
  const apps: { tool: Tool; view: SandboxedView }[] = [];
  for (const { tool, document } of await new UiResources(upstream).prefetch()) {
    if (!isVisibleTo(tool, "model")) continue; // Only apps may call this tool.
    try {
      if (!document.ok) throw new Error(document.message);
      apps.push({ tool, view: await sandbox.register({ server, ...document }) });
    } catch (error) {
      console.warn(`${tool.name} has no app: ${error}`); // A wrong view does not stop the others.
    }
  }

  // The page asks the user, so the policy allows everything here. The other checks of the guard still apply.
  const guard = standardGuard(upstream, { policy: () => "allow" });
  const signedIn = (request: Request): string => {
    const user = userOf(request);
    if (user === undefined) throw new Response("Sign in first", { status: 401 });
    return user;
  };
  return {
    /** For the model's tools. */
    upstream,
    /** GET /apps: the tools that have a view. */
    apps: () => Response.json({ server, capabilities: upstream.capabilities, apps }),
    /** POST /rpc: requests of views, with the rights of a view. Each user has limits of their own. */
    rpc: hostEndpoint({ info, upstream, guard, init: signedIn, view: (user) => user }),
    /** POST /call: tool calls of the model. */
    async call(request: Request) {
      const { name, input } = await request.json();
      const app = apps.find(({ tool }) => tool.name === name);
      if (!app) return new Response("No such tool", { status: 404 });
      return Response.json(await upstream.request("tools/call", { name: app.tool.name, arguments: input }));
    },
    close: () => client.close(),
  };
}
