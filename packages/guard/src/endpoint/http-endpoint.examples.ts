/** Examples for the doc comments about HTTP; compiled with the tests. */
import type { CallToolResult } from "@vitrine/protocol";
import { standardGuard } from "../links/standard.js";
import { type FetchListener, nodeListener } from "../node.js";
import { httpUpstream } from "../upstream/http-upstream.js";
import type { Upstream } from "../upstream/upstream.js";
import { hostEndpoint } from "./http-endpoint.js";
import {
  notifyHostContextChanged,
  notifyResourceTeardown,
  notifyToolCancelled,
  notifyToolInput,
  notifyToolInputPartial,
  notifyToolResult,
} from "./notifications.js";

interface Chat {
  id: string;
  theme: "light" | "dark";
  add(content: unknown): void;
}

export function endpoint(
  upstream: Upstream,
  chatOf: (request: Request) => Promise<Chat | undefined>,
): (request: Request) => Promise<Response> {
  //#region hostEndpoint
  const handle = hostEndpoint({
    init: async (request) => {
      const chat = await chatOf(request);
      if (!chat) throw new Response("Sign in first", { status: 401 });
      return chat;
    },
    info: { name: "my-chat", version: "1.0.0" },
    upstream,
    guard: standardGuard(upstream),
    view: (chat) => chat.id,
    handlers: (chat) => ({ message: ({ content }) => chat.add(content) }),
    initialize: (chat) => ({ hostContext: { theme: chat.theme } }),
  });
  // In Hono, for example: app.post("/views", (c) => handle(c.req.raw))
  //#endregion hostEndpoint
  return handle;
}

export function inNode(handle: (request: Request) => Promise<Response>): FetchListener {
  //#region nodeListener
  const listener = nodeListener(handle);
  // Node:    createServer(listener)
  // Express: app.post("/rpc", listener)
  // Fastify: app.post("/rpc", (request, reply) => reply.hijack() && listener(request.raw, reply.raw, request.body))
  // Koa:     app.use((context) => { context.respond = false; return listener(context.req, context.res); })
  //#endregion nodeListener
  return listener;
}

export function upstream(token: () => Promise<string>): Upstream {
  //#region httpUpstream
  const upstream = httpUpstream({
    url: "/views",
    server: "weather",
    capabilities: { tools: {}, resources: {} },
    headers: async () => ({ authorization: `Bearer ${await token()}` }),
  });
  // The guard is in the back end: new Bridge({ info, upstream, guard: "behind-upstream" })
  //#endregion httpUpstream
  return upstream;
}

export function notifications(send: (message: object) => void, result: CallToolResult): void {
  //#region notifyToolInputPartial
  send(notifyToolInputPartial({ city: "Ro" }));
  // { jsonrpc: "2.0", method: "ui/notifications/tool-input-partial", params: { arguments: { city: "Ro" } } }
  //#endregion notifyToolInputPartial
  //#region notifyToolInput
  send(notifyToolInput({ city: "Rome" }));
  // { jsonrpc: "2.0", method: "ui/notifications/tool-input", params: { arguments: { city: "Rome" } } }
  //#endregion notifyToolInput
  //#region notifyToolResult
  send(notifyToolResult(result));
  //#endregion notifyToolResult
  //#region notifyToolCancelled
  send(notifyToolCancelled("the user stopped it"));
  //#endregion notifyToolCancelled
  //#region notifyHostContextChanged
  send(notifyHostContextChanged({ theme: "dark" }));
  //#endregion notifyHostContextChanged
  //#region notifyResourceTeardown
  send(notifyResourceTeardown("the conversation was closed", 42));
  // { jsonrpc: "2.0", id: 42, method: "ui/resource-teardown", params: { reason: "the conversation was closed" } }
  //#endregion notifyResourceTeardown
}
