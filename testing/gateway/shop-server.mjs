// A server whose tools and resources are given from outside, for tests at the gateway's entry points. It
// records each request before it executes it, and every answer names the process that gave it.
import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { Server } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

const { tools, documents, calls } = JSON.parse(process.env.SHOP ?? "{}");
const instance = randomUUID();
/**
 * State set by its tool `control`: `late` lists one more tool, `description` is that of `change`, `document`
 * replaces every UI document, and `updated` is a resource that it reports as changed.
 */
let state = {};

const note = (text) => appendFileSync(calls, `${text}\n`);
const text = (value) => ({ content: [{ type: "text", text: JSON.stringify(value) }] });

const server = new Server(
  { name: "shop", version: "1.0.0" },
  {
    capabilities: {
      tools: { listChanged: true },
      resources: { subscribe: true },
      prompts: { listChanged: true },
    },
  },
);

server.setRequestHandler("tools/list", () => ({
  tools: [
    ...tools.map((tool) =>
      tool.name === "change" && state.description ? { ...tool, description: state.description } : tool,
    ),
    ...(state.late
      ? [{ name: "late", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }]
      : []),
  ],
}));

server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
  const { name, arguments: input = {} } = params;
  note(`tools/call ${name}`);
  if (name === "control") {
    const before = state.description;
    state = input;
    if (state.description !== before) await server.sendToolListChanged();
    if (state.prompt) await server.sendPromptListChanged();
    if (state.updated) await server.sendResourceUpdated({ uri: state.updated });
  }
  if (name === "wait") {
    const why = await new Promise((resolve) => {
      mcpReq.signal.addEventListener("abort", () => resolve("cancelled"));
      const timer = setInterval(() => state.go && resolve("over"), 10);
      mcpReq.signal.addEventListener("abort", () => clearInterval(timer));
    });
    note(`wait ${why}`);
  }
  const { progressToken } = mcpReq._meta ?? {};
  for (let progress = 1; progress <= (input.steps ?? 0); progress++) {
    const params = { progressToken, progress, total: input.steps, message: `step ${progress}` };
    await mcpReq.notify({ method: "notifications/progress", params });
  }
  // Makes answers come in another order than requests.
  if (input.pause) await pause(input.pause);
  if (input.size) return { content: [{ type: "text", text: "x".repeat(input.size) }] };
  return { ...text({ instance, name, got: input }), ...(input.fails && { isError: true }) };
});

server.setRequestHandler("resources/list", () => ({ resources: [{ uri: "note://1", name: "one" }] }));
server.setRequestHandler("resources/templates/list", () => ({
  resourceTemplates: [
    { uriTemplate: "notes:///{id}", name: "notes" },
    { uriTemplate: "ui://shop/{page}", name: "pages" },
  ],
}));
server.setRequestHandler("resources/read", ({ params: { uri } }) => {
  note(`resources/read ${uri}`);
  return {
    contents: [documents[uri] ? { uri, ...documents[uri], ...state.document } : { uri, text: "read" }],
  };
});
server.setRequestHandler("resources/subscribe", ({ params: { uri } }) => {
  note(`resources/subscribe ${uri}`);
  return {};
});
server.setRequestHandler("resources/unsubscribe", () => ({}));
server.setRequestHandler("prompts/list", () => ({
  prompts: [{ name: "greet" }, ...(state.prompt ? [{ name: state.prompt }] : [])],
}));
server.setRequestHandler("prompts/get", ({ params: { name, arguments: given } }) => {
  note(`prompts/get ${name}`);
  // Fails without somebody to greet.
  const content = given
    ? [
        { type: "text", text: `Greet ${given.who}` },
        { type: "resource_link", uri: "note://1", name: "note" },
      ]
    : [];
  return { messages: content.map((each) => ({ role: "user", content: each })) };
});

await server.connect(new StdioServerTransport());
