/**
 * A server that sends invalid values: titles that are not text, tools without a schema, answers without
 * content. A page that shows it must keep working. Written without a library, as no library would send this.
 */
import { createInterface } from "node:readline";

const none = { type: "object" };
const APP = "ui://odd/app.html";

const TOOLS = {
  untitled: { title: { x: 1 }, description: { x: 1 }, inputSchema: none, answer: {} },
  shapeless: { title: "Without a schema", answer: {} },
  "odd-fields": {
    title: "Odd fields",
    inputSchema: {
      type: "object",
      title: { x: 1 },
      properties: {
        name: { type: "string", title: { x: 1 }, description: { x: 1 } },
        title: { type: "string", title: "The title" },
        many: { type: "array", description: ["x"], items: 7 },
      },
      required: { x: 1 },
    },
    answer: { content: [] },
  },
  // This value cannot be converted to text: trying throws an error.
  "no-form": {
    title: "No form",
    inputSchema: { type: "object", properties: { kind: { enum: [{ toString: 1, valueOf: 1 }] } } },
    answer: {},
  },
  nothing: { title: "Answer nothing", inputSchema: none, answer: {} },
  "no-list": {
    title: "Answer no list",
    inputSchema: none,
    answer: { content: { said: "as it is" }, isError: "no" },
  },
  blocks: {
    title: "Answer odd blocks",
    inputSchema: none,
    answer: { content: [{ type: "text", text: { odd: "text" } }, null, { type: "text", text: "good text" }] },
  },
  "odd-app": {
    title: "Odd app",
    inputSchema: none,
    annotations: { readOnlyHint: true },
    _meta: { ui: { resourceUri: APP } },
    answer: {},
  },
};

const METHODS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: "odd", version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": () => ({
    tools: Object.entries(TOOLS).map(([name, { answer: _, ...tool }]) => ({ name, ...tool })),
  }),
  "tools/call": ({ name }) => TOOLS[name].answer,
  "resources/list": () => ({ resources: [] }),
  "resources/templates/list": () => ({ resourceTemplates: [] }),
  "resources/read": ({ uri }) => ({
    contents: [{ uri, mimeType: "text/html;profile=mcp-app", text: "<!doctype html><p>an odd app</p>" }],
  }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = METHODS[method]?.(params);
  const outcome = answer ? { result: answer } : { error: { code: -32601, message: `no ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...outcome })}\n`);
}
