/**
 * The official example servers, each behind the official client, as a product would run them. A host must
 * render apps other than its own demos.
 */
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { clientUpstream, type Upstream } from "@vitrine/guard";
import { type CallToolResult, isVisibleTo, readToolUi, type Tool, uiExtension } from "@vitrine/protocol";

/** A running server and its tool with a UI. */
export interface OfficialServer {
  upstream: Upstream;
  tool: Tool;
  /** The tool's UI resource. */
  uri: string;
  /** Tools that the view called through {@link upstream}, in order. */
  called: string[];
  /** Calls the tool, or another one, as a model would. */
  call(input: Record<string, unknown>, name?: string): Promise<CallToolResult>;
  close(): Promise<void>;
}

/** Starts a server over stdio. Further arguments go to its command line. */
export async function startOfficialServer(name: string, ...args: string[]): Promise<OfficialServer> {
  const path = `../../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`;
  const transport = new StdioClientTransport({
    command: process.execPath,
    // The environment is the transport's default: half a dozen variables, none of them the test runner's.
    args: [fileURLToPath(new URL(path, import.meta.url)), "--stdio", ...args],
    stderr: "pipe",
  });
  // Its stderr is ignored, so that it cannot block on a full pipe.
  transport.stderr?.on("data", () => {});
  const info = { name: "test host", version: "1.0.0" };
  // C01: some servers offer their UI only to clients that announce support for it.
  const client = new Client(info, { capabilities: { extensions: uiExtension() } });
  try {
    await client.connect(transport);
    const { tools } = (await client.listTools()) as { tools: Tool[] };
    const tool = tools.find((one) => isVisibleTo(one, "model") && readToolUi(one).resourceUri);
    const uri = tool && readToolUi(tool).resourceUri;
    if (!tool || !uri) throw new Error(`${name} has no tool with a UI`);
    const called: string[] = [];
    const server = clientUpstream(client, { server: name });
    const upstream: Upstream = {
      ...server,
      get capabilities() {
        return server.capabilities;
      },
      request(method, params, options) {
        if (method === "tools/call") called.push(`${(params as { name?: unknown }).name}`);
        return server.request(method, params, options);
      },
    };
    const call = async (input: Record<string, unknown>, of = tool.name): Promise<CallToolResult> =>
      (await client.callTool({ name: of, arguments: input })) as CallToolResult;
    // The client ends its own child, by force if necessary, and waits for that.
    return { upstream, tool, uri, called, call, close: () => client.close() };
  } catch (error) {
    await client.close();
    throw error;
  }
}
