/**
 * Tasks from revision 2026-07-28 on: the extension `io.modelcontextprotocol/tasks` (SEP-2663).
 *
 * @module
 */
import { setTimeout as wait } from "node:timers/promises";
import type { UpstreamRequestOptions } from "@vitrine/guard";
import { isRecord, JsonText, recordOf, VitrineError } from "@vitrine/protocol";
import type { DirectRequests } from "./direct-requests.js";
import type { RoundsOptions } from "./input-rounds.js";
import type { AskServer } from "./server-requests.js";

/** The name of the extension. */
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

/** Milliseconds between two questions for a state: if the server names none, the shortest, and the longest. */
const PAUSE = 1_000;
const SHORTEST = 100;
const LONGEST = 60_000;
/** Tasks whose answered questions are remembered, and questions that are answered at once. */
const MOST_TASKS = 1_000;
const MOST_QUESTIONS = 10;

/** Options of {@link modernTasks}. */
export interface ModernTasksOptions {
  readonly requests: Pick<DirectRequests, "request">;
  /** Answers a question of the server. Without it, a task that needs input waits until it expires. */
  readonly answer?: RoundsOptions["answer"] | undefined;
}

/** Whether a request is about a task, or may start one. */
export const isAboutTasks = (method: string, params: object): boolean =>
  method.startsWith("tasks/") || (method === "tools/call" && "task" in params);

/**
 * Sends the requests about tasks. They have the methods of revision 2025-11-25, so that users see no difference:
 * `tasks/result` asks for the state until the task is over, and answers the questions of a task that needs input.
 */
export function modernTasks({ requests, answer }: ModernTasksOptions): AskServer {
  /** By task, the questions that were answered: the server may repeat them before it has noticed the answers. */
  const answered = new Map<string, Set<string>>();

  const ask = async (
    method: string,
    params: object,
    options: UpstreamRequestOptions = {},
  ): Promise<Record<string, unknown>> => {
    const result = await requests.request(method, params, { ...options, withTasks: true });
    return recordOf(result instanceof JsonText ? result.parse() : result);
  };

  const answerAll = async (taskId: string, asked: unknown, signal: AbortSignal): Promise<void> => {
    const known = answered.get(taskId) ?? new Set();
    answered.delete(taskId);
    answered.set(taskId, known);
    const [oldest] = answered.keys();
    if (answered.size > MOST_TASKS && oldest !== undefined) answered.delete(oldest);
    const open = Object.entries(recordOf(asked)).filter(([key]) => !known.has(key));
    for (const [key, question] of open.slice(0, MOST_QUESTIONS)) {
      if (!answer || !isRecord(question)) throw unanswered(taskId);
      const { method, params } = question;
      const response = await answer({ method, params }, signal);
      await ask("tasks/update", { taskId, inputResponses: { [key]: response } }, { signal });
      known.add(key);
    }
  };

  const resultOf = async (taskId: string, signal: AbortSignal): Promise<unknown> => {
    for (;;) {
      const task = await ask("tasks/get", { taskId }, { signal });
      const { status, pollIntervalMs } = task;
      if (status === "completed") return recordOf(task["result"]);
      if (status === "failed") throw errorOf(task["error"]);
      if (status === "cancelled") throw new VitrineError("aborted", "the task was cancelled");
      if (status === "input_required") await answerAll(taskId, task["inputRequests"], signal);
      else if (status !== "working")
        throw new VitrineError("invalid", "tasks/get: the server's answer is no task");
      const pause = typeof pollIntervalMs === "number" ? pollIntervalMs : PAUSE;
      await wait(Math.min(Math.max(pause, SHORTEST), LONGEST), undefined, { signal, ref: false }).catch(
        () => {},
      );
      if (signal.aborted) throw new VitrineError("aborted", "tasks/result: aborted");
    }
  };

  return async (method, params, options = {}) => {
    const { taskId } = params;
    if (method === "tools/call") {
      const { task, ...call } = params;
      const result = await ask(method, call, options);
      // The server decides whether there is a task.
      return result["resultType"] === "task" ? { task: ofEarlierForm(result) } : result;
    }
    if (method === "tasks/result")
      return resultOf(String(taskId), options.signal ?? new AbortController().signal);
    if (method === "tasks/cancel") {
      await ask(method, { taskId }, options);
      // The answer is empty, and the server may end the task later or not at all.
      return ofEarlierForm(await ask("tasks/get", { taskId }, options));
    }
    if (method === "tasks/get") return ofEarlierForm(await ask(method, { taskId }, options));
    throw new VitrineError("unsupported", "from revision 2026-07-28 on, servers do not list their tasks");
  };
}

/** A task with the names of revision 2025-11-25. */
function ofEarlierForm(task: Record<string, unknown>): Record<string, unknown> {
  const { ttlMs, pollIntervalMs, status, statusMessage } = task;
  const why = status === "failed" ? recordOf(task["error"])["message"] : undefined;
  return { ...task, ttl: ttlMs, pollInterval: pollIntervalMs, statusMessage: statusMessage ?? why };
}

function errorOf(error: unknown): VitrineError {
  const { code, message, data } = recordOf(error);
  return new VitrineError(
    typeof code === "number" && Number.isInteger(code) ? code : -32603,
    typeof message === "string" ? message : "the task failed, and the server gave no message",
    { data },
  );
}

const unanswered = (taskId: string): VitrineError =>
  new VitrineError("unsupported", `the task ${taskId} needs input that nobody here can give`);
