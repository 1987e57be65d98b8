// A server on the official SDK, version 1, with tools that run as tasks (revision 2025-11-25).
import {
  InMemoryTaskMessageQueue,
  InMemoryTaskStore,
} from "@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const taskStore = new InMemoryTaskStore();
const server = new McpServer(
  { name: "tasks", version: "1.0.0" },
  {
    capabilities: { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
    taskStore,
    taskMessageQueue: new InMemoryTaskMessageQueue(),
  },
);
const text = (value) => ({ content: [{ type: "text", text: value }] });

server.experimental.tasks.registerToolTask(
  "bake",
  {
    description: "Bakes for some milliseconds",
    inputSchema: { milliseconds: z.number() },
    annotations: { readOnlyHint: true },
    execution: { taskSupport: "required" },
  },
  {
    async createTask({ milliseconds }, { taskStore: store, taskRequestedTtl }) {
      const task = await store.createTask({ ttl: taskRequestedTtl ?? 60_000, pollInterval: 100 });
      setTimeout(async () => {
        const { status } = await store.getTask(task.taskId);
        if (status === "working") await store.storeTaskResult(task.taskId, "completed", text("baked"));
      }, milliseconds);
      return { task };
    },
    getTask: (_, { taskId, taskStore: store }) => store.getTask(taskId),
    getTaskResult: (_, { taskId, taskStore: store }) => store.getTaskResult(taskId),
  },
);
// Asks within the task: its state is input_required until the user has answered.
server.experimental.tasks.registerToolTask(
  "order",
  {
    description: "Asks what to order",
    inputSchema: {},
    annotations: { readOnlyHint: true },
    execution: { taskSupport: "required" },
  },
  {
    async createTask(_, { taskStore: store, sendRequest }) {
      const task = await store.createTask({ ttl: 60_000, pollInterval: 100 });
      (async () => {
        await store.updateTaskStatus(task.taskId, "input_required", "waits for the user");
        const requestedSchema = {
          type: "object",
          properties: { what: { type: "string" } },
          required: ["what"],
        };
        const params = { message: "What shall it be?", requestedSchema, mode: "form" };
        const answer = await sendRequest({ method: "elicitation/create", params }, z.any(), {
          relatedTask: { taskId: task.taskId },
        });
        await store.updateTaskStatus(task.taskId, "working");
        await store.storeTaskResult(task.taskId, "completed", text(answer.content?.what ?? answer.action));
      })().catch((error) => store.updateTaskStatus(task.taskId, "failed", error.message).catch(() => {}));
      return { task };
    },
    getTask: (_, { taskId, taskStore: store }) => store.getTask(taskId),
    getTaskResult: (_, { taskId, taskStore: store }) => store.getTaskResult(taskId),
  },
);
await server.connect(new StdioServerTransport());
