/** A host page on the React component of `@mcp-ui/client`. Tests change its props as an application would. */
import { AppRenderer } from "@mcp-ui/client";
import type { HostContext, NotificationFrom, Params, RequestFrom, Result } from "@vitrine/protocol";
import { createRef } from "react";
import { createRoot } from "react-dom/client";
import { EventLog } from "../event-log.ts";
import { CONTEXT, HOST_CAPABILITIES, HOST_INFO } from "./scene.ts";

/** A handler of a view's requests, with the SDK's information about the request. */
type Serve<M extends RequestFrom<"view">> = (params: Params<M>, extra: Extra) => Promise<Result<M>>;
type Hear<M extends NotificationFrom<"view">> = (params: Params<M>) => void;
interface Extra {
  signal: AbortSignal;
  _meta?: { progressToken?: string | number };
  sendNotification: (notification: { method: string; params: object }) => Promise<void>;
}

/**
 * The component's props, from its documentation. Its own types become `any` under NodeNext, since their
 * imports have no file extensions.
 */
export interface RendererProps {
  toolName: string;
  sandbox: { url: URL };
  html?: string;
  hostInfo: Params<"ui/initialize">["appInfo"];
  hostCapabilities: Result<"ui/initialize">["hostCapabilities"];
  hostContext: HostContext;
  toolInputPartial?: Params<"ui/notifications/tool-input-partial">;
  toolInput?: Record<string, unknown>;
  toolResult?: Params<"ui/notifications/tool-result">;
  toolCancelled?: boolean;
  onCallTool: Serve<"tools/call">;
  onReadResource: Serve<"resources/read">;
  onListResources: Serve<"resources/list">;
  onListResourceTemplates: Serve<"resources/templates/list">;
  onListPrompts: Serve<"prompts/list">;
  onMessage: Serve<"ui/message">;
  onOpenLink: Serve<"ui/open-link">;
  onLoggingMessage: Hear<"notifications/message">;
  onSizeChanged: Hear<"ui/notifications/size-changed">;
  onError: (error: Error) => void;
  onFallbackRequest: (request: { method: string; params?: unknown }) => Promise<object>;
}

const options = new URLSearchParams(location.search);
const log = new EventLog();
const handle = createRef<{ teardownResource(): unknown }>();
const root = createRoot(document.body.appendChild(document.createElement("main")));

let props: RendererProps = {
  toolName: "demo",
  sandbox: { url: new URL(options.get("view") ?? "") },
  hostInfo: HOST_INFO,
  hostCapabilities: HOST_CAPABILITIES,
  hostContext: CONTEXT,
  onCallTool: async ({ name, arguments: args }, { signal, _meta, sendNotification }) => {
    log.add("call", { name, arguments: args });
    switch (name) {
      case "fail":
        return { isError: true, content: [{ type: "text", text: "it failed" }] };
      case "throw":
        throw new Error("boom");
      case "slow":
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        log.add("aborted");
        break;
      case "progress":
        await sendNotification({
          method: "notifications/progress",
          params: { progressToken: _meta?.progressToken ?? "none", progress: 1, total: 2 },
        });
    }
    return { content: [{ type: "text", text: "done" }], structuredContent: { echo: args } };
  },
  onReadResource: async ({ uri }) => ({ contents: [{ uri, text: "contents" }] }),
  onListResources: async () => ({ resources: [{ uri: "demo://one", name: "one" }] }),
  onListResourceTemplates: async () => ({ resourceTemplates: [{ uriTemplate: "demo://{id}", name: "any" }] }),
  onListPrompts: async () => ({ prompts: [{ name: "greet" }] }),
  onMessage: async (params) => {
    log.add("message", params);
    return {};
  },
  onOpenLink: async (params) => {
    log.add("open-link", params);
    return {};
  },
  onLoggingMessage: (params) => log.add("log", params),
  onSizeChanged: (params) => log.add("size", params),
  onError: (error) => log.add("error", error.message),
  onFallbackRequest: async ({ method, params }) => {
    log.add("fallback", { method, params });
    return {};
  },
};

/** Renders the component again with other props. */
function setProps(changes: Partial<RendererProps>): void {
  props = { ...props, ...changes };
  root.render(<AppRenderer ref={handle} {...props} />);
}

Object.assign(globalThis, { log, setProps, teardown: () => handle.current?.teardownResource() });
fetch(options.get("html") ?? "")
  .then((response) => response.text())
  .then((html) => setProps({ html }));
