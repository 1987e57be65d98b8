// A server on the official SDK, version 2, with tools that run as tasks of revision 2026-07-28: the extension
// `io.modelcontextprotocol/tasks`. Its argument chooses the transport (`stdio` or `http`).
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, ProtocolError, Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const TASKS = "io.modelcontextprotocol/tasks";
const [where = "stdio"] = process.argv.slice(2);
const text = (value) => ({ content: [{ type: "text", text: value }] });
const object = (properties = {}) => ({ type: "object", properties, required: Object.keys(properties) });
const annotations = { readOnlyHint: true };

/** Outside of the factory: each HTTP request has a server of its own. */
const tasks = new Map();

function start(status, more = {}) {
  const createdAt = new Date().toISOString();
  const task = {
    taskId: randomUUID(),
    status,
    createdAt,
    lastUpdatedAt: createdAt,
    ttlMs: 60_000,
    pollIntervalMs: 100,
  };
  tasks.set(task.taskId, Object.assign(task, more));
  return task;
}

function change(task, fields) {
  if (/^(completed|failed|cancelled)$/.test(task.status)) return;
  Object.assign(task, { lastUpdatedAt: new Date().toISOString() }, fields);
}

const TOOLS = {
  bake: {
    description: "Bakes for some milliseconds",
    inputSchema: object({ milliseconds: { type: "number" } }),
    run: ({ milliseconds }) => {
      const task = start("working", { statusMessage: "in the oven" });
      setTimeout(() => change(task, { status: "completed", result: text("baked") }), milliseconds);
      return task;
    },
  },
  burn: {
    description: "Fails as a task",
    inputSchema: object(),
    run: () => start("failed", { error: { code: -32050, message: "it burnt" } }),
  },
  order: {
    description: "Asks twice what to order",
    inputSchema: object(),
    run: () => {
      const ask = (message) => ({
        method: "elicitation/create",
        params: { mode: "form", message, requestedSchema: object({ what: { type: "string" } }) },
      });
      return start("input_required", {
        inputRequests: { first: ask("What shall it be?"), second: ask("And then?") },
      });
    },
  },
  quick: { description: "Needs no task", inputSchema: object(), run: () => text("at once") },
};

/** The answer that starts a task, without its result. */
const handleOf = ({ taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs }) => ({
  resultType: "task",
  taskId,
  status,
  createdAt,
  lastUpdatedAt,
  ttlMs,
  pollIntervalMs,
  ...(statusMessage && { statusMessage }),
});

function known(taskId) {
  const task = tasks.get(taskId);
  if (!task) throw new ProtocolError(-32602, "no such task");
  return task;
}

const declares = (ctx) => {
  const said = ctx.mcpReq.envelope ?? ctx.mcpReq._meta;
  return said?.["io.modelcontextprotocol/clientCapabilities"]?.extensions?.[TASKS] !== undefined;
};

function makeServer() {
  const server = new Server(
    { name: "modern tasks", version: "1.0.0" },
    { capabilities: { tools: {}, extensions: { [TASKS]: {} } } },
  );
  server.setRequestHandler("tools/list", () => ({
    tools: Object.entries(TOOLS).map(([name, { description, inputSchema }]) => ({
      name,
      description,
      inputSchema,
      annotations,
    })),
  }));
  server.setRequestHandler("tools/call", ({ params }, ctx) => {
    const result = TOOLS[params.name].run(params.arguments ?? {});
    if (result.content) return result;
    if (!declares(ctx))
      throw new ProtocolError(-32021, "Missing required client capability", {
        requiredCapabilities: { extensions: { [TASKS]: {} } },
      });
    return handleOf(result);
  });
  const withId = z.looseObject({ taskId: z.string() });
  server.setRequestHandler("tasks/get", { params: withId }, ({ taskId }) => ({ ...known(taskId) }));
  server.setRequestHandler("tasks/cancel", { params: withId }, ({ taskId }) => {
    change(known(taskId), { status: "cancelled" });
    return {};
  });
  server.setRequestHandler(
    "tasks/update",
    { params: withId.extend({ inputResponses: z.record(z.string(), z.any()).optional() }) },
    ({ taskId, inputResponses }, ctx) => {
      const task = known(taskId);
      task.answers = { ...task.answers, ...(inputResponses ?? ctx.mcpReq.inputResponses) };
      const { first, second } = task.answers;
      if (!first || !second) return {};
      const said = [first, second].map(({ action, content }) => content?.what ?? action).join(" and ");
      // Later: a client sees the answered questions once more.
      setTimeout(
        () => change(task, { status: "completed", inputRequests: undefined, result: text(said) }),
        150,
      );
      return {};
    },
  );
  return server;
}

if (where === "http") {
  const handle = toNodeHandler(createMcpHandler(makeServer, { legacy: "reject" }));
  const listener = createServer(handle).listen(0, "127.0.0.1", () => {
    process.stdout.write(`${listener.address().port}\n`);
  });
} else serveStdio(makeServer, { legacy: "reject" });
