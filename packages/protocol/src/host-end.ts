import { displayMode, initializeParams } from "./apps.js";
import type { End } from "./end.js";
import {
  callToolParams,
  callToolResult,
  cancelledParams,
  contentBlock,
  createMessageParams,
  embeddedResource,
  emptyParams,
  emptyResult,
  getPromptParams,
  listParams,
  listToolsResult,
  loggingParams,
  progressParams,
  resourceLink,
  uriParams,
} from "./mcp.js";
import { array, literal, number, object, open, record, string, union, unknown } from "./schema.js";

/** Shapes that a host checks: the views' messages and answers. */
export const HOST_END = {
  side: "host",
  requests: {
    ping: emptyParams,
    "ui/initialize": initializeParams,
    "ui/open-link": object({ url: string }),
    "ui/download-file": object({ contents: array(union(embeddedResource, resourceLink)) }),
    "ui/message": object({ role: literal("user"), content: array(contentBlock) }),
    "ui/update-model-context": object(
      {},
      { content: array(contentBlock), structuredContent: record(unknown) },
    ),
    "ui/request-display-mode": object({ mode: displayMode }),
    "tools/call": callToolParams,
    "tools/list": listParams,
    "resources/read": uriParams,
    "resources/list": listParams,
    "resources/templates/list": listParams,
    "resources/subscribe": uriParams,
    "resources/unsubscribe": uriParams,
    "prompts/list": listParams,
    "prompts/get": getPromptParams,
    "sampling/createMessage": createMessageParams,
  },
  notifications: {
    "ui/notifications/initialized": object({}),
    "ui/notifications/size-changed": object({}, { width: number, height: number }),
    "ui/notifications/request-teardown": object({}),
    "ui/notifications/sandbox-proxy-ready": object({}),
    "notifications/message": loggingParams,
    "notifications/cancelled": cancelledParams,
    "notifications/progress": progressParams,
    "notifications/tools/list_changed": emptyParams,
  },
  results: {
    ping: emptyResult,
    "ui/resource-teardown": open({}),
    "tools/call": callToolResult,
    "tools/list": listToolsResult,
  },
} as const satisfies End;
