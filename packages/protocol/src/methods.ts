/**
 * The one table of every method that crosses between a view and its host. Types of params and results, the
 * decoders, and who may send what all come from here.
 *
 * @module
 */
import {
  displayMode,
  hostContext,
  initializeParams,
  initializeResult,
  resourceCsp,
  resourcePermissions,
  toolInputParams,
} from "./apps.js";
import {
  callToolParams,
  callToolResult,
  cancelledParams,
  contentBlock,
  createMessageParams,
  createMessageResult,
  embeddedResource,
  emptyParams,
  emptyResult,
  getPromptParams,
  getPromptResult,
  listParams,
  listPromptsResult,
  listResourcesResult,
  listResourceTemplatesResult,
  listToolsResult,
  loggingParams,
  progressParams,
  readResourceResult,
  resourceLink,
  uriParams,
} from "./mcp.js";
import {
  array,
  boolean,
  type Infer,
  literal,
  number,
  object,
  open,
  record,
  type Schema,
  string,
  union,
  unknown,
} from "./schema.js";

/** One end of the wire. */
export type Side = "view" | "host";

const fallible = open({}, { isError: boolean });

/** Every request, with who sends it and the shapes of its params and result. */
export const REQUESTS = {
  ping: { from: "both", params: emptyParams, result: emptyResult },
  "ui/initialize": { from: "view", params: initializeParams, result: initializeResult },
  "ui/open-link": { from: "view", params: object({ url: string }), result: fallible },
  "ui/download-file": {
    from: "view",
    params: object({ contents: array(union(embeddedResource, resourceLink)) }),
    result: fallible,
  },
  "ui/message": {
    from: "view",
    params: object({ role: literal("user"), content: array(contentBlock) }),
    result: fallible,
  },
  "ui/update-model-context": {
    from: "view",
    params: object({}, { content: array(contentBlock), structuredContent: record(unknown) }),
    result: emptyResult,
  },
  "ui/request-display-mode": {
    from: "view",
    params: object({ mode: displayMode }),
    result: open({ mode: displayMode }),
  },
  "ui/resource-teardown": { from: "host", params: object({}, { reason: string }), result: open({}) },
  "tools/call": { from: "both", params: callToolParams, result: callToolResult },
  "tools/list": { from: "both", params: listParams, result: listToolsResult },
  "resources/read": { from: "view", params: uriParams, result: readResourceResult },
  "resources/list": { from: "view", params: listParams, result: listResourcesResult },
  "resources/templates/list": { from: "view", params: listParams, result: listResourceTemplatesResult },
  "resources/subscribe": { from: "view", params: uriParams, result: emptyResult },
  "resources/unsubscribe": { from: "view", params: uriParams, result: emptyResult },
  "prompts/list": { from: "view", params: listParams, result: listPromptsResult },
  "prompts/get": { from: "view", params: getPromptParams, result: getPromptResult },
  "sampling/createMessage": { from: "view", params: createMessageParams, result: createMessageResult },
} as const satisfies Record<string, RequestShape>;

/** Every notification, with who sends it and the shape of its params. */
export const NOTIFICATIONS = {
  "ui/notifications/initialized": { from: "view", params: object({}) },
  "ui/notifications/size-changed": { from: "view", params: object({}, { width: number, height: number }) },
  "ui/notifications/request-teardown": { from: "view", params: object({}) },
  "ui/notifications/tool-input": { from: "host", params: toolInputParams },
  "ui/notifications/tool-input-partial": { from: "host", params: toolInputParams },
  "ui/notifications/tool-result": { from: "host", params: callToolResult },
  "ui/notifications/tool-cancelled": { from: "host", params: object({}, { reason: string }) },
  "ui/notifications/host-context-changed": { from: "host", params: hostContext },
  "ui/notifications/sandbox-proxy-ready": { from: "view", params: object({}) },
  "ui/notifications/sandbox-resource-ready": {
    from: "host",
    params: object({ html: string }, { sandbox: string, csp: resourceCsp, permissions: resourcePermissions }),
  },
  "notifications/message": { from: "view", params: loggingParams },
  "notifications/cancelled": { from: "both", params: cancelledParams },
  "notifications/progress": { from: "both", params: progressParams },
  "notifications/tools/list_changed": { from: "both", params: emptyParams },
  "notifications/resources/list_changed": { from: "host", params: emptyParams },
  "notifications/resources/updated": { from: "host", params: uriParams },
  "notifications/prompts/list_changed": { from: "host", params: emptyParams },
} as const satisfies Record<string, NotificationShape>;

type RequestShape = { from: Side | "both"; params: Schema; result: Schema };
type NotificationShape = { from: Side | "both"; params: Schema };
type Sent<Table extends Record<string, { from: Side | "both" }>, S extends Side> = {
  [M in keyof Table]: Table[M]["from"] extends S | "both" ? M : never;
}[keyof Table];

/** The name of any request. */
export type RequestMethod = keyof typeof REQUESTS;
/** The name of any notification. */
export type NotificationMethod = keyof typeof NOTIFICATIONS;
/** The requests that one side may send. */
export type RequestFrom<S extends Side> = Sent<typeof REQUESTS, S>;
/** The notifications that one side may send. */
export type NotificationFrom<S extends Side> = Sent<typeof NOTIFICATIONS, S>;
/** The side at the other end. */
export type OtherSide<S extends Side> = S extends "view" ? "host" : "view";

/** Params of a request or notification, by its method. */
export type Params<M extends RequestMethod | NotificationMethod> = M extends RequestMethod
  ? Infer<(typeof REQUESTS)[M]["params"]>
  : M extends NotificationMethod
    ? Infer<(typeof NOTIFICATIONS)[M]["params"]>
    : never;

/** Result of a request, by its method. */
export type Result<M extends RequestMethod> = Infer<(typeof REQUESTS)[M]["result"]>;
