/**
 * Requests for a user who inspects a server, beyond those that its views may make.
 *
 * @module
 */
import type { Client } from "@modelcontextprotocol/client";
import type { UpstreamRequestOptions } from "@vitrine/guard";
import { isRecord, METHOD_NOT_FOUND, VitrineError } from "@vitrine/protocol";

/**
 * Requests for a user who inspects a server. The methods of tasks belong to revision 2025-11-25, and are
 * translated from revision 2026-07-28 on; see `modernTasks`. `ping` is
 * `server/discover` from revision 2026-07-28 on, which has no ping.
 */
export type ServerMethod =
  | "ping"
  | "completion/complete"
  | "logging/setLevel"
  | "tools/call"
  | "tasks/list"
  | "tasks/get"
  | "tasks/result"
  | "tasks/cancel";

/** Options of {@link AskServer}. */
export interface AskOptions extends UpstreamRequestOptions {
  /** Sends the method as it is, and any method: a user has written the request. */
  readonly asWritten?: boolean | undefined;
}

/**
 * Sends a request of a user who inspects the server: a {@link ServerMethod}, or any with `asWritten`. The result is
 * any object: its reader validates it.
 */
export type AskServer = (
  method: string,
  params: Record<string, unknown>,
  options?: AskOptions,
) => Promise<unknown>;

const METHODS: ReadonlySet<string> = new Set<ServerMethod>([
  "ping",
  "completion/complete",
  "logging/setLevel",
  "tools/call",
  "tasks/list",
  "tasks/get",
  "tasks/result",
  "tasks/cancel",
]);

/** Notifications of a server that no view receives: log lines, and the states of tasks. */
export type ServerNotice = "notifications/message" | "notifications/tasks/status";

const NOTICES: ReadonlySet<string> = new Set<ServerNotice>([
  "notifications/message",
  "notifications/tasks/status",
]);

/** Whether a message is a {@link ServerNotice}. */
export const isServerNotice = (
  message: unknown,
): message is { method: ServerNotice; params?: Record<string, unknown> } =>
  isRecord(message) && NOTICES.has(String(message["method"])) && message["id"] === undefined;

/** @throws {VitrineError} −32601 for a method that is none of them, and not written by a user */
export function checkServerMethod(method: string, { asWritten }: AskOptions = {}): void {
  if (!asWritten && !METHODS.has(method)) throw new VitrineError(METHOD_NOT_FOUND, "Method not found");
}

/** Accepts any object as the result of the official client. */
export const ANY_RESULT = {
  "~standard": {
    version: 1 as const,
    vendor: "vitrine",
    validate: (value: unknown) =>
      isRecord(value) ? { value } : { issues: [{ message: "the result is not an object" }] },
  },
};

/**
 * Sends such requests with the official client.
 *
 * @param timeout milliseconds, for the client's own timer
 */
export const clientAsks =
  (client: Client, timeout: number): AskServer =>
  async (method, params, { signal, onprogress, asWritten } = {}) => {
    checkServerMethod(method, { asWritten });
    const options = {
      timeout,
      resetTimeoutOnProgress: true,
      ...(signal && { signal }),
      ...(onprogress && { onprogress }),
    };
    if (method !== "ping" || asWritten) return client.request({ method, params }, ANY_RESULT, options);
    return client.getProtocolEra() === "modern" ? client.discover(options) : client.ping(options);
  };
