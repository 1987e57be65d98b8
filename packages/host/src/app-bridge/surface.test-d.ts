/**
 * Proves at compile time that our class has every public member of the official one, and takes the official handlers
 * and objects. Nothing here runs: `npm run lint` compiles it.
 */
import type { BaseContext, Client } from "@modelcontextprotocol/client";
import type * as official from "@modelcontextprotocol/ext-apps/app-bridge";
import type { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import type * as official1 from "ext-apps-1/app-bridge";
import type { AppBridge } from "./app-bridge.js";
import type * as ours from "./index.js";

/** Named exceptions: checks of the SDK's `Protocol` that a host does not call. */
type Left = `assert${string}`;
type Missing<Theirs> = Exclude<keyof Theirs, keyof AppBridge | Left>;
const none = <_T extends never>(): void => {};
none<Missing<official.AppBridge>>();
none<Missing<official1.AppBridge>>();
/** The values of the official module, without the SDK's zod schemas and the names of methods. */
type Values<T> = Exclude<keyof T & string, `${string}Schema` | `${string}_METHOD`>;
none<Exclude<Values<typeof official>, keyof typeof ours>>();

declare const bridge: AppBridge;
declare const client: Client;
declare const client1: Client1;
declare const handler: official.AppBridge;
declare const transport: official.PostMessageTransport;
declare const Own: typeof AppBridge;

export function takesWhatTheOfficialClassTakes(): void {
  new Own(client, { name: "host", version: "1" }, {} as official.McpUiHostCapabilities, {
    hostContext: {} as official.McpUiHostContext,
  });
  new Own(client1, { name: "host", version: "1" }, {});
  new Own(null, { name: "host", version: "1" }, {});
  void bridge.connect(transport);
  bridge.onsizechange = handler.onsizechange;
  bridge.oninitialized = handler.oninitialized;
  bridge.onloggingmessage = handler.onloggingmessage;
  bridge.onrequestteardown = handler.onrequestteardown;
  bridge.oncalltool = async (params) => client.callTool(params);
  bridge.onreadresource = async (params, { mcpReq }) =>
    client.readResource(params, { signal: mcpReq.signal });
  const extra = {} as ours.RequestHandlerExtra;
  const part: Pick<BaseContext["mcpReq"], "id" | "method" | "signal"> = extra.mcpReq;
  void part;
  void bridge.sendToolInput({} as official.McpUiToolInputNotification["params"]);
  void bridge.sendToolResult({} as official.McpUiToolResultNotification["params"]);
  void bridge.sendSandboxResourceReady({} as official.McpUiSandboxResourceReadyNotification["params"]);
}
