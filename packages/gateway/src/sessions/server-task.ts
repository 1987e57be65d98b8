/**
 * Reads the tasks of a server.
 *
 * @module
 */
import { isRecord, VitrineError } from "@vitrine/protocol";
import type { ServerTask } from "@vitrine/wire";
import { shortText } from "./short-text.js";

const STATES: ReadonlySet<unknown> = new Set<ServerTask["status"]>([
  "working",
  "input_required",
  "completed",
  "failed",
  "cancelled",
]);

/** Characters of an id: a cut id would name another task, so a longer one is none. */
const MOST_ID = 1000;
/** Characters of a message, and of a time. */
const MOST_MESSAGE = 500;
const MOST_TIME = 100;

/** A task; undefined if it has no usable id or no known state. */
export function readTask(value: unknown): ServerTask | undefined {
  if (!isRecord(value)) return undefined;
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttl, pollInterval } = value;
  if (typeof taskId !== "string" || taskId.length > MOST_ID || !STATES.has(status)) return undefined;
  return {
    taskId,
    status: status as ServerTask["status"],
    ...(typeof statusMessage === "string" && { statusMessage: shortText(statusMessage, MOST_MESSAGE) }),
    ...(typeof createdAt === "string" && { createdAt: shortText(createdAt, MOST_TIME) }),
    ...(typeof lastUpdatedAt === "string" && { lastUpdatedAt: shortText(lastUpdatedAt, MOST_TIME) }),
    ...((typeof ttl === "number" || ttl === null) && { ttl }),
    ...(typeof pollInterval === "number" && { pollInterval }),
  };
}

/** @throws {VitrineError} `invalid` if it is no task */
export function mustBeTask(method: string, value: unknown): ServerTask {
  const task = readTask(value);
  if (!task) throw new VitrineError("invalid", `${method}: the server's answer is no task`);
  return task;
}
