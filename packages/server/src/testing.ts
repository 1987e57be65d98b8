/**
 * Calls a server's tools and reads its views in the same process, as a client would: for unit tests. What a view does in a
 * browser is tested by `vitrine render`.
 *
 * @module
 */
import { type CallToolResult, InMemoryTransport, type JSONRPCMessage } from "@modelcontextprotocol/server";
import { type ResourceMeta, readToolUi, type ToolVisibility, uiExtension } from "@vitrine/protocol";
import type { AppServer } from "./app-server.js";
import type { AnyTool, ToolsOf } from "./tool.js";

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

type TypesOf<Tools extends readonly AnyTool[], Name extends keyof ToolsOf<Tools>> = Extract<
  ToolsOf<Tools>[Name],
  { input: unknown; result: unknown }
>;
type Result<Data> = Omit<CallToolResult, "structuredContent"> & { structuredContent?: Data | undefined };

/** A server to which a test is connected. */
export interface TestedServer<Tools extends readonly AnyTool[]> {
  /** All tools that this client is told of. */
  tools(): Promise<ListedTool[]>;
  /** Calls a tool. One that fails gives a result with `isError`. */
  call<Name extends keyof ToolsOf<Tools> & string>(
    name: Name,
    input: TypesOf<Tools, Name>["input"],
  ): Promise<Result<TypesOf<Tools, Name>["result"]>>;
  /** The view of a tool, or that of an address. */
  view(toolOrAddress: string): Promise<ReadView>;
  close(): Promise<void>;
}

/** What a test may say of the client that it is. */
export interface TestOptions {
  /** Whether the client shows views; it does by default. */
  readonly views?: boolean | undefined;
}

/**
 * Connects a test to a server.
 *
 * @example
 * ```ts source="./testing.examples.ts#testServer"
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
  const waiting = new Map<unknown, (message: JSONRPCMessage) => void>();
  let last = 0;
  ours.onmessage = (message) => {
    if ("id" in message && !("method" in message)) waiting.get(message.id)?.(message);
  };
  await ours.start();
  const ask = async (method: string, params: object): Promise<Record<string, unknown>> => {
    const id = ++last;
    const answered = new Promise<JSONRPCMessage>((resolve) => waiting.set(id, resolve));
    await ours.send({ jsonrpc: "2.0", id, method, params: { ...params } });
    const message = await answered;
    waiting.delete(id);
    if ("error" in message)
      throw Object.assign(new Error(message.error.message), { code: message.error.code });
    return "result" in message ? (message.result as Record<string, unknown>) : {};
  };
  const capabilities = views ? { extensions: uiExtension() } : {};
  const clientInfo = { name: "test", version: "1.0.0" };
  await ask("initialize", { protocolVersion: "2025-11-25", capabilities, clientInfo });
  await ours.send({ jsonrpc: "2.0", method: "notifications/initialized" });

  const tools = async (): Promise<ListedTool[]> => {
    const { tools: listed } = await ask("tools/list", {});
    return (listed as (ListedTool & { _meta?: unknown })[]).map(({ _meta, ...tool }) => {
      const { resourceUri, visibility } = readToolUi({ _meta });
      return { ...tool, view: resourceUri, visibility };
    });
  };
  return {
    tools,
    call: async (name, input) => (await ask("tools/call", { name, arguments: input })) as never,
    view: async (toolOrAddress) => {
      const isAddress = toolOrAddress.startsWith("ui://");
      const uri = isAddress
        ? toolOrAddress
        : (await tools()).find(({ name }) => name === toolOrAddress)?.view;
      if (uri === undefined) throw new Error(`there is no tool ${toolOrAddress} with a view`);
      const { contents } = (await ask("resources/read", { uri })) as {
        contents: { uri: string; text: string; _meta?: { ui?: ResourceMeta } }[];
      };
      const [content] = contents;
      return { uri, html: content?.text ?? "", meta: content?._meta?.ui ?? {} };
    },
    close: () => made.close(),
  };
}
