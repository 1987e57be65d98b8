/**
 * Reads the tasks of a server.
 *
 * @module
 */
import { isRecord, VitrineError } from "@vitrine/protocol";
import type { ServerTask } from "@vitrine/wire";

const STATES: ReadonlySet<unknown> = new Set<ServerTask["status"]>([
  "working",
  "input_required",
  "completed",
  "failed",
  "cancelled",
]);

/** A task; undefined if it has no id or no known state. */
export function readTask(value: unknown): ServerTask | undefined {
  if (!isRecord(value)) return undefined;
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttl, pollInterval } = value;
  if (typeof taskId !== "string" || !STATES.has(status)) return undefined;
  return {
    taskId,
    status: status as ServerTask["status"],
    ...(typeof statusMessage === "string" && { statusMessage }),
    ...(typeof createdAt === "string" && { createdAt }),
    ...(typeof lastUpdatedAt === "string" && { lastUpdatedAt }),
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
