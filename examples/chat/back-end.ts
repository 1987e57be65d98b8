/** The back end of a chat with apps: it speaks to the MCP server, and hands its views to the sandbox. */
import { Client, type Transport } from "@modelcontextprotocol/client";
import { clientUpstream, hostEndpoint, standardGuard, UiResources } from "@vitrine/host";
import { isVisibleTo, type Tool, uiExtension } from "@vitrine/protocol";
import type { SandboxedView } from "@vitrine/sandbox";
import { serveSandbox } from "@vitrine/sandbox/node";

const info = { name: "chat", version: "0.1.0" };

/** Connects; the handlers that it returns answer the page at `origin`. */
//#region backEnd
export async function connect(server: string, transport: Transport, origin: string, secret: Uint8Array) {
  const client = new Client(info, { capabilities: { extensions: uiExtension() } });
  await client.connect(transport);
  const upstream = clientUpstream(client, { server });
  // An origin of its own for every app; nothing else is served there.
  const { sandbox, port, close } = await serveSandbox({ secret, port: 0, hosts: [origin] });

  // Views are read, checked and registered before anybody asks for them.
  const apps: { tool: Tool; view: SandboxedView }[] = [];
  for (const { tool, document } of await new UiResources(upstream).prefetch()) {
    // What is for apps alone the model does not see.
    if (document.ok && isVisibleTo(tool, "model"))
      apps.push({ tool, view: await sandbox.register({ server, ...document }) });
  }

  // What a view asks of its server comes here. The page asks the person; the rest of the guard cannot be skipped.
  const guard = standardGuard(upstream, { policy: () => "allow" });
  return {
    apps: () => Response.json({ server, capabilities: upstream.capabilities, apps }),
    rpc: hostEndpoint({ info, upstream, guard }),
    /** The model's own calls, of the tools that it sees. */
    async call(request: Request) {
      const { name, input } = await request.json();
      if (!apps.some(({ tool }) => tool.name === name)) return new Response("no such tool", { status: 404 });
      return Response.json(await upstream.request("tools/call", { name, arguments: input }));
    },
    /** The page may show frames of the sandbox, and no others. */
    policy: `frame-src http://*.localhost:${port}`,
    close: () => Promise.all([client.close(), close()]),
  };
}
//#endregion backEnd
