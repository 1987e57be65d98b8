import { displayMode } from "./apps.js";
import type { End } from "./end.js";
import { hostContext, initializeResult, toolInputParams } from "./hosts.js";
import {
  callToolParams,
  callToolResult,
  cancelledParams,
  emptyParams,
  emptyResult,
  listParams,
  listToolsResult,
  progressParams,
  uriParams,
} from "./mcp.js";
import {
  createMessageResult,
  getPromptResult,
  listPromptsResult,
  listResourcesResult,
  listResourceTemplatesResult,
  readResourceResult,
} from "./mcp-answers.js";
import { boolean, object, open, string } from "./schema.js";
import { resourceCsp, resourcePermissions } from "./ui-meta.js";

const reasonParams = object({}, { reason: string });
const fallible = open({}, { isError: boolean });

/** Shapes that a view checks: the hosts' messages and answers. */
export const VIEW_END = {
  side: "view",
  requests: {
    ping: emptyParams,
    "ui/resource-teardown": reasonParams,
    "tools/call": callToolParams,
    "tools/list": listParams,
  },
  notifications: {
    "ui/notifications/tool-input": toolInputParams,
    "ui/notifications/tool-input-partial": toolInputParams,
    "ui/notifications/tool-result": callToolResult,
    "ui/notifications/tool-cancelled": reasonParams,
    "ui/notifications/host-context-changed": hostContext,
    "ui/notifications/sandbox-resource-ready": object(
      { html: string },
      { sandbox: string, csp: resourceCsp, permissions: resourcePermissions },
    ),
    "notifications/cancelled": cancelledParams,
    "notifications/progress": progressParams,
    "notifications/tools/list_changed": emptyParams,
    "notifications/resources/list_changed": emptyParams,
    "notifications/resources/updated": uriParams,
    "notifications/prompts/list_changed": emptyParams,
  },
  results: {
    ping: emptyResult,
    "ui/initialize": initializeResult,
    "ui/open-link": fallible,
    "ui/download-file": fallible,
    "ui/message": fallible,
    "ui/update-model-context": emptyResult,
    "ui/request-display-mode": open({ mode: displayMode }),
    "tools/call": callToolResult,
    "tools/list": listToolsResult,
    "resources/read": readResourceResult,
    "resources/list": listResourcesResult,
    "resources/templates/list": listResourceTemplatesResult,
    "resources/subscribe": emptyResult,
    "resources/unsubscribe": emptyResult,
    "prompts/list": listPromptsResult,
    "prompts/get": getPromptResult,
    "sampling/createMessage": createMessageResult,
  },
} as const satisfies End;
