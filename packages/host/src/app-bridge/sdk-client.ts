/**
 * An official client of either generation, as an `Upstream`.
 *
 * @module
 */
import {
  type ClientRequestOptions,
  clientUpstream,
  type McpClient,
  type ServerCapabilities,
  type Upstream,
} from "@vitrine/guard";

/**
 * The part of a client that an `AppBridge` needs: `Client` of `@modelcontextprotocol/sdk` 1.x and of
 * `@modelcontextprotocol/client` 2.x have it. Lists that change are passed on if the client has a `transport`.
 */
export interface AppBridgeClient {
  getServerCapabilities(): ServerCapabilities | undefined;
  getServerVersion?(): { name: string } | undefined;
  request(...args: never[]): Promise<unknown>;
}

/** The part of a client that `clientUpstream` uses beside requests. */
type ClientState = Partial<Pick<McpClient, "transport" | "onerror" | "getProtocolEra" | "listen">>;

/** Accepts every result, in the forms of zod and of Standard Schema: the bridge checks results itself. */
const ANYTHING = {
  safeParse: (data: unknown) => ({ success: true, data }),
  "~standard": { version: 1, vendor: "vitrine", validate: (value: unknown) => ({ value }) },
};

/**
 * The server of an official client. It sends everything by `client.request`, whose form is almost the same in both
 * generations: `callTool` takes other arguments in 1.x.
 */
export function sdkUpstream(client: AppBridgeClient, server: string): Upstream {
  const state = client as ClientState;
  const isModern = typeof state.getProtocolEra === "function";
  const send = (client.request as (...args: unknown[]) => Promise<object>).bind(client);
  const ask =
    (method: string) =>
    (params: object, options?: ClientRequestOptions): Promise<object> =>
      isModern ? send({ method, params }, options) : send({ method, params }, ANYTHING, options);
  return clientUpstream(
    {
      callTool: ask("tools/call"),
      listTools: ask("tools/list"),
      readResource: ask("resources/read"),
      listResources: ask("resources/list"),
      listResourceTemplates: ask("resources/templates/list"),
      subscribeResource: ask("resources/subscribe"),
      unsubscribeResource: ask("resources/unsubscribe"),
      listPrompts: ask("prompts/list"),
      getPrompt: ask("prompts/get"),
      getServerCapabilities: () => client.getServerCapabilities(),
      get transport() {
        // A stand-in for a client, such as one in a worker, need not have one.
        return "transport" in client ? state.transport : {};
      },
      onerror: (error) => state.onerror?.(error),
      getProtocolEra: () => state.getProtocolEra?.(),
      ...(state.listen && { listen: state.listen.bind(client) }),
    },
    { server },
  );
}
