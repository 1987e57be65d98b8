/**
 * Messages of a user who inspects a server: prompts, resources, log lines, roots, tasks, and the messages between
 * the gateway and the server.
 *
 * @module
 */
import type { CallToolResult, LoggingLevel, Result } from "@vitrine/protocol";
import type { SignInBody, SignInHeaders } from "./sign-in.js";

/** Selects a server. */
export interface ServerReference {
  server: string;
  /** The server's identity: if another server has the name now, the request is refused with `server-replaced`. */
  identity?: string | undefined;
}

/** A prompt, or a template of resources, whose argument is completed. */
export type CompletionSource = { type: "ref/prompt"; name: string } | { type: "ref/resource"; uri: string };

/** A folder or address that a server may work in. */
export interface ServerRoot {
  /** Usually `file://…`. */
  uri: string;
  name?: string | undefined;
}

/** The roots of a server. */
export interface ServerRoots {
  roots: ServerRoot[];
  /** Whether the operator's settings name them, or the user in the page. Undefined while there are none. */
  from?: "settings" | "page" | undefined;
  /** Whether the running server learns of them only after a restart: it was told that there are no roots. */
  needsRestart: boolean;
}

/** A capability that is declared to servers. `ui` is the extension of MCP Apps. */
export type ClientCapability = "sampling" | "elicitation.form" | "elicitation.url" | "roots" | "ui";

/** The capabilities that are declared to a server. */
export interface DeclaredCapabilities {
  /** Those that could be declared now: sampling needs a model, and roots need a root. */
  available: ClientCapability[];
  /** Those that the user has left out. They are not declared even if they are available. */
  hidden: ClientCapability[];
  /** Whether the running server learns of a change only after a restart. */
  needsRestart: boolean;
}

/** A task of a server, with the names of revision 2025-11-25. */
export interface ServerTask {
  taskId: string;
  status: "working" | "input_required" | "completed" | "failed" | "cancelled";
  statusMessage?: string | undefined;
  createdAt?: string | undefined;
  lastUpdatedAt?: string | undefined;
  /** Milliseconds for which the server keeps it; `null` for ever. */
  ttl?: number | null | undefined;
  /** Milliseconds that the server asks to wait between two requests for its state. */
  pollInterval?: number | undefined;
}

/** A message between the gateway and a server. */
export interface TrafficMessage {
  /** Consecutive numbers. A gap means that the page read too slowly, or that the gateway has dropped old messages. */
  seq: number;
  /** Milliseconds since 1970. */
  at: number;
  direction: "to-server" | "from-server";
  kind: "request" | "result" | "error" | "notification";
  /** Of a request or notification; of an answer, the method of its request. */
  method?: string | undefined;
  id?: string | number | undefined;
  /** Characters of its JSON. */
  size: number;
  /** Milliseconds from the request to this answer. */
  duration?: number | undefined;
  /** The trace id of the call that caused it: 32 hexadecimal digits. */
  trace?: string | undefined;
  /** The maker of that call, if it passed the guard not long ago: an app by its view, the user, the model, a program. */
  by?: { actor: string; view?: string | undefined } | undefined;
  /** Its JSON, with secrets masked. Undefined if it is too large to be shown. */
  text?: string | undefined;
}

/** An HTTP request to a server, and its answer. */
export interface WatchedExchange {
  /** Consecutive numbers. An exchange is sent again when its answer arrives, and when that has ended. */
  seq: number;
  /** Milliseconds since 1970. */
  at: number;
  /** The address and the headers have masked secrets. */
  request: { method: string; url: string; headers: SignInHeaders };
  /** The method and the id of the message in its body. An answer has no method. */
  rpc?: { method?: string | undefined; id?: string | number | undefined } | undefined;
  /** `duration`: milliseconds until the headers arrived. Only errors have a `body`; others are messages. */
  response?:
    | { status: number; headers: SignInHeaders; duration: number; body?: SignInBody | undefined }
    | undefined;
  /** Why there was no answer: a code of Node.js such as `ECONNREFUSED`, or of the gateway, and a message. */
  failure?: { code: string; message: string } | undefined;
  /** The end of the answer, in milliseconds after the request, and its size in bytes. */
  end?: { duration: number; size: number; isWhole: boolean } | undefined;
  /** The trace id of the call that caused it: 32 hexadecimal digits. */
  trace?: string | undefined;
  /** The maker of that call; see {@link TrafficMessage}. */
  by?: TrafficMessage["by"];
}

/** A log line of a server (`notifications/message`). */
export interface ServerLogLine {
  /** Milliseconds since 1970, when the gateway received it. */
  at: number;
  level: string;
  logger?: string | undefined;
  data?: unknown;
}

/**
 * Requests of a page about a server, on channel `.`. Those that reach the server pass the guard, and are recorded
 * in the audit log as the user's.
 */
export interface InspectionRequests {
  /** Reads a resource for the user: any URI that the server answers. */
  "gateway/read": { params: ServerReference & { uri: string }; result: Result<"resources/read"> };
  /** Gets a prompt with its arguments filled in. */
  "gateway/prompt": {
    params: ServerReference & { name: string; arguments?: Record<string, string> | undefined };
    result: Result<"prompts/get">;
  };
  /** Suggests values for an argument of a prompt, or for a variable of a resource template. */
  "gateway/complete": {
    params: ServerReference & {
      ref: CompletionSource;
      argument: { name: string; value: string };
      /** Values of other arguments. */
      context?: { arguments?: Record<string, string> | undefined } | undefined;
    };
    result: { values: string[]; total?: number | undefined; hasMore?: boolean | undefined };
  };
  /** Subscribes to a resource: `gateway/updated` reports its changes. */
  "gateway/subscribe": { params: ServerReference & { uri: string }; result: Record<string, never> };
  "gateway/unsubscribe": { params: ServerReference & { uri: string }; result: Record<string, never> };
  /** Sets the least level of the server's log lines. Refused with `server-shared` if other users use it too. */
  "gateway/set-log-level": {
    params: ServerReference & { level: LoggingLevel };
    result: Record<string, never>;
  };
  /**
   * Returns the roots of a server; with `roots`, sets them first. An empty list takes back what the page has set.
   * Refused with `server-shared` if other users use the server too.
   */
  "gateway/roots": {
    params: ServerReference & { roots?: ServerRoot[] | undefined };
    result: ServerRoots;
  };
  /**
   * Returns the capabilities that are declared to a server; with `hidden`, first sets those that are left out. The gateway
   * refuses requests of the server that need one of them. Refused with `server-shared` if other users use the server too.
   */
  "gateway/capabilities": {
    params: ServerReference & { hidden?: ClientCapability[] | undefined };
    result: DeclaredCapabilities;
  };
  /** Measures how long the server takes to answer `ping`, or `server/discover` from revision 2026-07-28 on. */
  "gateway/ping": { params: ServerReference; result: { milliseconds: number } };
  /**
   * Sends a request that the user has written, and returns its result, which is any object. Methods that belong to the
   * connection are refused with `not-allowed`, such as `initialize`, subscriptions, the log level and tasks. At a server
   * that others use too, methods that the gateway does not know are refused with `server-shared`. A result of more than
   * 4,000,000 characters is refused with `server-too-large`.
   */
  "gateway/request": {
    params: ServerReference & { method: string; params?: Record<string, unknown> | undefined };
    result: Record<string, unknown>;
  };
  /**
   * Follows a server: `gateway/log` and `gateway/task`, and with `messages` also `gateway/traffic` and
   * `gateway/http`, from now on. A page
   * that was reloaded asks again. At a server that others use too, it gets its user's own calls only.
   */
  "gateway/watch": {
    params: ServerReference & { messages?: boolean | undefined };
    result: Record<string, never>;
  };
  /** Ends `gateway/watch`. Subscriptions stay. */
  "gateway/unwatch": { params: ServerReference; result: Record<string, never> };
  /**
   * Calls a tool as a task: the answer comes as soon as the server has accepted it. Like `gateway/call` otherwise. From
   * revision 2026-07-28 on the server decides whether there is a task, and may answer with the result. At a server
   * that others use too, the user reaches the own tasks that were started since the gateway's start.
   */
  "gateway/task-start": {
    params: ServerReference & {
      name: string;
      arguments?: Record<string, unknown> | undefined;
      /** Milliseconds for which the server should keep the task. */
      ttl?: number | undefined;
    };
    result: { task: ServerTask } | { result: CallToolResult };
  };
  /** The tasks that the server lists for this connection. From revision 2026-07-28 on, servers list none. */
  "gateway/tasks": { params: ServerReference; result: { tasks: ServerTask[] } };
  /** The current state of a task, by its id. */
  "gateway/task": { params: ServerReference & { taskId: string }; result: { task: ServerTask } };
  /**
   * The result of a task. It waits while the task works; a task that needs input asks its questions meanwhile. After a
   * `timeout`, ask again.
   */
  "gateway/task-result": { params: ServerReference & { taskId: string }; result: CallToolResult };
  "gateway/task-cancel": { params: ServerReference & { taskId: string }; result: { task: ServerTask } };
  /**
   * An icon that the server names, as a `data:` URL: the gateway fetches it, so that the page loads nothing from third
   * parties. Only images of at most 256 KB, as a `data:` URL or from the origin of a remote server.
   */
  "gateway/icon": { params: ServerReference & { src: string }; result: { data: string } };
}

/** Notifications about servers, on channel `.`. */
export interface InspectionNotices {
  /** A resource has changed that this page has subscribed to. */
  "gateway/updated": { server: string; uri: string };
  /** Log lines of a watched server. `dropped` ones before them were lost, because the page read too slowly. */
  "gateway/log": { server: string; lines: ServerLogLine[]; dropped: number };
  /** A task of a watched server has another state. */
  "gateway/task": { server: string; task: ServerTask };
  /** Messages between the gateway and a watched server, in order. */
  "gateway/traffic": { server: string; messages: TrafficMessage[]; dropped: number };
  /** HTTP requests to a watched server, new or with more known about them. */
  "gateway/http": { server: string; exchanges: WatchedExchange[]; dropped: number };
}
