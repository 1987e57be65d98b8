/**
 * Proves at compile time that our types equal the official ones: each is assignable to the other, and both
 * have the same fields, including optional ones. Nothing here runs: `npm run lint` compiles it, and a
 * difference is a compile error at the line that names the type.
 */
import type * as sdk from "@modelcontextprotocol/client";
import type * as official from "@modelcontextprotocol/ext-apps";
import type * as ours from "./index.js";

type IsAny<T> = 0 extends 1 & T ? true : false;
type Mutual<A, B> =
  IsAny<A> extends true
    ? "ours is any"
    : IsAny<B> extends true
      ? "theirs is any"
      : [A] extends [B]
        ? [B] extends [A]
          ? SameKeys<Keys<A>, Keys<B>>
          : "theirs does not fit ours"
        : "ours does not fit theirs";
/**
 * With a missing optional field, two types are still assignable to each other: only the field names differ.
 */
type SameKeys<A, B> = [Exclude<B, A>] extends [never]
  ? [Exclude<A, B>] extends [never]
    ? true
    : ["theirs lacks", Exclude<A, B>]
  : ["ours lacks", Exclude<B, A>];
/** The names of an object's own fields, of all members of a union, without index signatures. */
type Keys<T> = T extends object
  ? keyof { [K in keyof T as string extends K ? never : number extends K ? never : K]: T[K] }
  : never;
const same = <_Proof extends true>(): void => {};

// Requests and notifications of MCP Apps.
same<Mutual<ours.Params<"ui/initialize">, official.McpUiInitializeRequest["params"]>>();
same<Mutual<ours.Result<"ui/initialize">, official.McpUiInitializeResult>>();
same<Mutual<ours.Params<"ui/open-link">, official.McpUiOpenLinkRequest["params"]>>();
same<Mutual<ours.Result<"ui/open-link">, official.McpUiOpenLinkResult>>();
same<Mutual<ours.Params<"ui/download-file">, official.McpUiDownloadFileRequest["params"]>>();
same<Mutual<ours.Result<"ui/download-file">, official.McpUiDownloadFileResult>>();
same<Mutual<ours.Params<"ui/message">, official.McpUiMessageRequest["params"]>>();
same<Mutual<ours.Result<"ui/message">, official.McpUiMessageResult>>();
same<Mutual<ours.Params<"ui/update-model-context">, official.McpUiUpdateModelContextRequest["params"]>>();
same<Mutual<ours.Params<"ui/request-display-mode">, official.McpUiRequestDisplayModeRequest["params"]>>();
same<Mutual<ours.Result<"ui/request-display-mode">, official.McpUiRequestDisplayModeResult>>();
// Named exception, D13: the specification has a reason, the official type has none. Once it does, this fails.
// @ts-expect-error theirs lacks "reason"
same<Mutual<ours.Params<"ui/resource-teardown">, official.McpUiResourceTeardownRequest["params"]>>();
same<
  Mutual<Omit<ours.Params<"ui/resource-teardown">, "reason">, official.McpUiResourceTeardownRequest["params"]>
>();
same<Mutual<ours.Result<"ui/resource-teardown">, official.McpUiResourceTeardownResult>>();
same<Mutual<ours.Params<"ui/notifications/size-changed">, official.McpUiSizeChangedNotification["params"]>>();
same<Mutual<ours.Params<"ui/notifications/tool-input">, official.McpUiToolInputNotification["params"]>>();
same<
  Mutual<
    ours.Params<"ui/notifications/tool-input-partial">,
    official.McpUiToolInputPartialNotification["params"]
  >
>();
same<Mutual<ours.Params<"ui/notifications/tool-result">, official.McpUiToolResultNotification["params"]>>();
same<
  Mutual<ours.Params<"ui/notifications/tool-cancelled">, official.McpUiToolCancelledNotification["params"]>
>();
same<
  Mutual<
    ours.Params<"ui/notifications/host-context-changed">,
    official.McpUiHostContextChangedNotification["params"]
  >
>();
same<
  Mutual<
    ours.Params<"ui/notifications/sandbox-resource-ready">,
    official.McpUiSandboxResourceReadyNotification["params"]
  >
>();
same<
  Mutual<
    ours.Params<"ui/notifications/sandbox-proxy-ready">,
    official.McpUiSandboxProxyReadyNotification["params"]
  >
>();
same<
  Mutual<
    ours.Params<"ui/notifications/request-teardown">,
    NonNullable<official.McpUiRequestTeardownNotification["params"]>
  >
>();
same<
  Mutual<
    ours.Params<"ui/notifications/initialized">,
    NonNullable<official.McpUiInitializedNotification["params"]>
  >
>();

// Contents of messages.
same<Mutual<ours.HostContext, official.McpUiHostContext>>();
same<Mutual<ours.HostCapabilities, official.McpUiHostCapabilities>>();
same<Mutual<ours.AppCapabilities, official.McpUiAppCapabilities>>();
same<Mutual<ours.HostStyles, official.McpUiHostStyles>>();
same<Mutual<ours.StyleVariables, official.McpUiStyles>>();
same<Mutual<ours.StyleVariable, official.McpUiStyleVariableKey>>();
same<Mutual<ours.Theme, official.McpUiTheme>>();
same<Mutual<ours.DisplayMode, official.McpUiDisplayMode>>();
same<Mutual<ours.ResourceCsp, official.McpUiResourceCsp>>();
same<Mutual<ours.ResourcePermissions, official.McpUiResourcePermissions>>();
same<Mutual<ours.ResourceMeta, official.McpUiResourceMeta>>();
same<Mutual<ours.ToolVisibility, official.McpUiToolVisibility>>();
same<Mutual<ours.ClientCapabilities, official.McpUiClientCapabilities>>();
same<Mutual<ours.ToolMeta, Pick<official.McpUiToolMeta, "resourceUri" | "visibility">>>();

// MCP's own messages.
same<Mutual<ours.Params<"tools/call">, sdk.CallToolRequest["params"]>>();
same<Mutual<ours.Result<"tools/call">, sdk.CallToolResult>>();
same<Mutual<ours.Result<"tools/list">, sdk.ListToolsResult>>();
same<Mutual<ours.Params<"tools/list">, NonNullable<sdk.ListToolsRequest["params"]>>>();
same<Mutual<ours.Params<"resources/read">, sdk.ReadResourceRequest["params"]>>();
same<Mutual<ours.Result<"resources/read">, sdk.ReadResourceResult>>();
same<Mutual<ours.Result<"resources/list">, sdk.ListResourcesResult>>();
same<Mutual<ours.Result<"resources/templates/list">, sdk.ListResourceTemplatesResult>>();
same<Mutual<ours.Params<"resources/subscribe">, sdk.SubscribeRequest["params"]>>();
same<Mutual<ours.Result<"prompts/list">, sdk.ListPromptsResult>>();
same<Mutual<ours.Params<"prompts/get">, sdk.GetPromptRequest["params"]>>();
same<Mutual<ours.Result<"prompts/get">, sdk.GetPromptResult>>();
same<Mutual<ours.Params<"sampling/createMessage">, sdk.CreateMessageRequest["params"]>>();
same<Mutual<ours.Result<"sampling/createMessage">, sdk.CreateMessageResultWithTools>>();
same<Mutual<ours.Params<"notifications/message">, sdk.LoggingMessageNotification["params"]>>();
same<Mutual<ours.Params<"notifications/progress">, sdk.ProgressNotification["params"]>>();
same<Mutual<ours.Params<"notifications/cancelled">, sdk.CancelledNotification["params"]>>();
same<Mutual<ours.Params<"notifications/resources/updated">, sdk.ResourceUpdatedNotification["params"]>>();
same<Mutual<ours.Implementation, sdk.Implementation>>();
same<Mutual<ours.ContentBlock, sdk.ContentBlock>>();
same<Mutual<ours.Tool, sdk.Tool>>();
same<Mutual<ours.Resource, sdk.Resource>>();

// Senders of the table.
same<Mutual<"ui/initialize" extends ours.RequestFrom<"view"> ? true : false, true>>();
same<Mutual<"ui/initialize" extends ours.RequestFrom<"host"> ? true : false, false>>();
same<Mutual<"tools/call" extends ours.RequestFrom<"host"> ? true : false, true>>();

// Proves that the comparison can fail.
// @ts-expect-error a string is not a number
same<Mutual<string, number>>();
// @ts-expect-error a type that was not resolved is no proof
same<Mutual<string, ReturnType<typeof JSON.parse>>>();
// @ts-expect-error a missing field shows, in either direction
same<Mutual<{ a: string }, { a: string; b: string }>>();
// @ts-expect-error a missing optional field shows, in one direction
same<Mutual<{ a: string }, { a: string; b?: string }>>();
// @ts-expect-error and in the other
same<Mutual<{ a: string; b?: string }, { a: string }>>();
// @ts-expect-error and beside an index signature
same<Mutual<{ a: string } & { [key: string]: unknown }, { [key: string]: unknown; a: string; b?: string }>>();
// @ts-expect-error and in a member of a union
same<Mutual<{ a: string } | { b: string }, { a: string } | { b: string; c?: string }>>();
