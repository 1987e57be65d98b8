/**
 * A server in the same process, seen as by a client.
 *
 * @module
 */
import { type CallToolResult, InMemoryTransport, type JSONRPCMessage } from "@modelcontextprotocol/server";
import {
  Peer,
  type RequestOptions,
  type ResourceMeta,
  readToolUi,
  type ToolVisibility,
  type Transport,
  uiExtension,
} from "@vitrine/protocol";
import type { AppServer } from "../app-server.js";
import type { AnyTool, ToolsOf } from "../tool.js";

/** A tool as clients see it. */
export interface ListedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: Record<string, unknown>;
  readonly outputSchema?: Record<string, unknown> | undefined;
  /** The address of its view, if it has one. */
  readonly view?: string | undefined;
  readonly visibility: readonly ToolVisibility[];
}

/** A view as clients read it. */
export interface ReadView {
  readonly uri: string;
  readonly html: string;
  readonly meta: ResourceMeta;
}

/** Types of a tool without type information. */
export interface AnyTypes {
  readonly input: Record<string, unknown>;
  readonly partial: Record<string, unknown>;
  readonly result: Record<string, unknown>;
}

type Known<Tools extends readonly AnyTool[], Name extends keyof ToolsOf<Tools>> = Extract<
  ToolsOf<Tools>[Name],
  { input: unknown; partial: unknown; result: unknown }
>;

/** Types of a tool, by its name. Tools found in folders have none. */
export type TypesOf<Tools extends readonly AnyTool[], Name extends keyof ToolsOf<Tools>> = [
  Known<Tools, Name>,
] extends [never]
  ? AnyTypes
  : Known<Tools, Name>;

/** A tool's result, with typed data. */
export type ResultOf<Data> = Omit<CallToolResult, "structuredContent"> & {
  structuredContent?: Data | undefined;
};

/** A server with a connected test client. */
export interface TestedServer<Tools extends readonly AnyTool[]> {
  /** All tools that this client sees. */
  tools(): Promise<ListedTool[]>;
  /** Calls a tool. A failure is a result with `isError`. */
  call<Name extends keyof ToolsOf<Tools> & string>(
    name: Name,
    input: TypesOf<Tools, Name>["input"],
  ): Promise<ResultOf<TypesOf<Tools, Name>["result"]>>;
  /** The view of a tool, or at an address. */
  view(toolOrAddress: string): Promise<ReadView>;
  /** Sends any MCP request, such as `prompts/list`. */
  request(method: string, params?: object, options?: RequestOptions): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

/** Options of the test client. */
export interface TestOptions {
  /** Whether the client shows views; true by default. */
  readonly views?: boolean | undefined;
}

/**
 * Connects a test client to a server.
 *
 * @example
 * ```ts source="../testing.examples.ts#testServer"
 * const server = await testServer(weather);
 * const { structuredContent } = await server.call("forecast", { city: "Berne" });
 * expect(structuredContent?.city).toBe("Berne");
 * const { html } = await server.view("forecast");
 * expect(html.includes("<title>Forecast</title>")).toBe(true);
 * await server.close();
 * ```
 */
export async function testServer<Tools extends readonly AnyTool[]>(
  server: AppServer<Tools>,
  { views = true }: TestOptions = {},
): Promise<TestedServer<Tools>> {
  const [theirs, ours] = InMemoryTransport.createLinkedPair();
  const made = await server.create();
  await made.connect(theirs);
  // MCP has more methods than those of views; the server decides which it knows.
  const peer = new Peer<"view">().open(transportOf(ours));
  const request: TestedServer<Tools>["request"] = (method, params = {}, options = {}) =>
    peer.request(method as "tools/list", { ...params }, { timeout: 0, ...options }) as Promise<
      Record<string, unknown>
    >;
  const capabilities = views ? { extensions: uiExtension() } : {};
  const clientInfo = { name: "test", version: "1.0.0" };
  await request("initialize", { protocolVersion: "2025-11-25", capabilities, clientInfo });
  peer.notify("notifications/initialized" as "ui/notifications/initialized", {});

  const tools = async (): Promise<ListedTool[]> => {
    const { tools: listed } = await request("tools/list");
    return (listed as (ListedTool & { _meta?: unknown })[]).map(({ _meta, ...tool }) => {
      const { resourceUri, visibility } = readToolUi({ _meta });
      return { ...tool, view: resourceUri, visibility };
    });
  };
  return {
    tools,
    request,
    call: async (name, input) => (await request("tools/call", { name, arguments: input })) as never,
    view: async (toolOrAddress) => {
      const isAddress = toolOrAddress.startsWith("ui://");
      const uri = isAddress
        ? toolOrAddress
        : (await tools()).find(({ name }) => name === toolOrAddress)?.view;
      if (uri === undefined) throw new Error(`there is no tool ${toolOrAddress} with a view`);
      const { contents } = (await request("resources/read", { uri })) as {
        contents: { uri: string; text: string; _meta?: { ui?: ResourceMeta } }[];
      };
      const [content] = contents;
      return { uri, html: content?.text ?? "", meta: content?._meta?.ui ?? {} };
    },
    close: async () => {
      peer.close();
      await made.close();
    },
  };
}

function transportOf(end: InMemoryTransport): Transport {
  return {
    start: (receive, closed) => {
      end.onmessage = receive;
      end.onclose = closed;
      void end.start();
    },
    send: (message) => void end.send(message as JSONRPCMessage),
    close: () => {
      delete end.onclose;
      void end.close();
    },
  };
}
