import { serve } from "@hono/node-server";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { clientUpstream, hostEndpoint, standardGuard } from "@vitrine/guard";
import { uiExtension } from "@vitrine/protocol";
import { Hono } from "hono";

const info = { name: "my-chat", version: "1.0.0" };
const client = new Client(info, { capabilities: { extensions: uiExtension() } });
await client.connect(
  new StdioClientTransport({ command: "npx", args: ["mcp-server-basic-vanillajs", "--stdio"] }),
);
const upstream = clientUpstream(client, { server: "clock" });

/** Stands in for your sessions: conversations by the user's token. */
const chats = new Map([["ada-token", { id: "chat-1", theme: "dark" as const, messages: [] as unknown[] }]]);

const handle = hostEndpoint({
  init: (request) => {
    const [, token = ""] = request.headers.get("authorization")?.split(" ") ?? [];
    const chat = chats.get(token);
    if (!chat) throw new Response("Sign in first", { status: 401 });
    return chat;
  },
  info,
  upstream,
  guard: standardGuard(upstream, { policy: { "tools/call:get-time": "allow" } }),
  view: (chat) => chat.id,
  handlers: (chat) => ({
    message: ({ content }, { server }) => {
      chat.messages.push({ from: server, content });
    },
  }),
  initialize: (chat) => ({ hostContext: { theme: chat.theme } }),
});

const app = new Hono();
app.post("/views", (c) => handle(c.req.raw));
const port = Number(process.env.PORT ?? 8092);
serve({ fetch: app.fetch, hostname: "localhost", port }, () => console.log(`http://localhost:${port}/views`));
