/**
 * Requests of a user who inspects a server in a page.
 *
 * @module
 */
import type { UpstreamMethod } from "@vitrine/guard";
import {
  type CallToolResult,
  INVALID_PARAMS,
  isRecord,
  type JsonText,
  type Params,
  type Result,
  recordOf,
  VitrineError,
} from "@vitrine/protocol";
import {
  type AskCapabilities,
  type Server,
  type ServerMethod,
  showableResult,
  TASKS_EXTENSION,
} from "@vitrine/servers";
import {
  type DeclaredCapabilities,
  GatewayError,
  type InspectionRequests,
  type ServerReference,
  type ServerRoots,
} from "@vitrine/wire";
import { namesOf, problemOf, type UserCapabilities, type UserRoots } from "../asks/index.js";
import { affectsOthers } from "../guard/allow-list.js";
import type { GuardedCall } from "../guard/guarded-call.js";
import type { GuardedServer, GuardedServers } from "../guard/guarded-servers.js";
import { InspectedServers, type InspectedServersOptions } from "./inspected-servers.js";
import type { PageAnswer, PageRequest } from "./page-params.js";
import { withoutToken } from "./progress-token.js";
import { iconOf } from "./server-icon.js";
import { mustBeTask, readTask } from "./server-task.js";
import type { UserTasks } from "./user-tasks.js";
import { readWritten } from "./written-result.js";

/** Options of {@link PageInspection}. */
export interface PageInspectionOptions extends InspectedServersOptions {
  readonly user: string;
  /** Passes a request through the guard of its server; see {@link GuardedServers.pass}. */
  readonly pass: GuardedServers["pass"];
  /** The capabilities that users leave out. */
  readonly capabilities: UserCapabilities;
  /** The capabilities that could be declared to a server. */
  declarable(guard: GuardedServer["guard"]): AskCapabilities;
  /** The roots of users' servers. */
  readonly roots: UserRoots;
  /** The tasks of users at shared servers. */
  readonly tasks: UserTasks;
}

type Method = keyof InspectionRequests;
type Effect = (at: GuardedServer, passed: GuardedCall) => Promise<unknown>;

type Handlers = {
  readonly [M in Method]: (
    page: PageInspection,
    params: InspectionRequests[M]["params"],
    request: PageRequest,
  ) => PageAnswer<M>;
};

/** Answers the requests of a user who inspects servers. */
export class PageInspection {
  readonly #options: PageInspectionOptions;
  readonly #servers: InspectedServers;

  constructor(options: PageInspectionOptions) {
    this.#options = options;
    this.#servers = new InspectedServers(options);
  }

  /** Moves to a server with new settings, or one that is back. */
  moved(name: string): void {
    this.#servers.moved(name);
  }

  /** Sends delayed notifications, because the page reads again. */
  resume(): void {
    this.#servers.resume();
  }

  /** Forgets a removed server. */
  removed(name: string): void {
    this.#servers.removed(name);
  }

  /** The page has ended. */
  end(): void {
    this.#servers.end();
  }

  /** The page was reloaded: it follows nothing. */
  clear(): void {
    this.#servers.clear();
  }

  static readonly #handlers: Handlers = {
    "gateway/read": (page, { uri, ...at }, request) => page.#read("resources/read", at, { uri }, request),
    "gateway/prompt": (page, { name, arguments: given, ...at }, request) =>
      page.#read("prompts/get", at, { name, ...(given && { arguments: given }) }, request),
    "gateway/complete": async (page, { ref, argument, context, ...at }, request) => {
      const params = { ref, argument, ...(context && { context }) };
      const { completion } = recordOf(
        await page.#ask("completion/complete", at, params, request, "completions"),
      );
      return readCompletion(completion);
    },
    "gateway/subscribe": async (page, { uri, ...at }, request) => {
      await page.#pass("resources/subscribe", at, { uri }, request, ({ server }) => {
        if (!server.upstream.capabilities.resources?.subscribe) throw missing(server, "resources.subscribe");
        return page.#servers.subscribe(server, uri, request.signal);
      });
      return {};
    },
    "gateway/unsubscribe": async (page, { uri, ...at }, request) => {
      await page.#pass("resources/unsubscribe", at, { uri }, request, ({ server }) =>
        page.#servers.unsubscribe(server, uri),
      );
      return {};
    },
    "gateway/set-log-level": async (page, { level, ...at }, request) => {
      await page.#checkOwnCall("logging/setLevel", at, { level }, request);
      await page.#pass("logging/setLevel", at, { level }, request, async ({ server }) => {
        if (!server.upstream.capabilities.logging) throw missing(server, "logging");
        await server.setLogLevel(level);
      });
      return {};
    },
    "gateway/roots": async (page, { server: name, identity, roots }) => {
      const { server } = page.#at({ server: name, identity });
      if (roots) {
        page.#checkOwn({ server: name });
        const problem = problemOf(roots);
        if (problem !== undefined) throw new VitrineError(INVALID_PARAMS, problem);
      }
      return page.#rootsOf(server, roots);
    },
    "gateway/capabilities": (page, { server: name, identity, hidden }) => {
      const at = page.#at({ server: name, identity });
      if (hidden) page.#checkOwn({ server: name });
      return page.#capabilitiesOf(at, hidden);
    },
    "gateway/ping": async (page, at, request) => {
      let milliseconds = 0;
      await page.#pass("ping", at, {}, request, async ({ server }) => {
        // Without the time to start it.
        await server.ready();
        const before = performance.now();
        await server.ask("ping", {}, { signal: request.signal });
        milliseconds = performance.now() - before;
      });
      return { milliseconds };
    },
    "gateway/request": async (page, { method, params: written = {}, ...at }, request) => {
      // The server would send progress to the request that has this token, which may be another user's.
      const { rest: params } = withoutToken(written);
      if (affectsOthers(method)) await page.#checkOwnCall(method, at, params, request, true);
      const { signal, onprogress } = request;
      const effect: Effect = ({ server }, passed) =>
        server.ask(method, passed.params, { signal, onprogress, asWritten: true });
      return readWritten(await page.#pass(method, at, params, request, effect, true));
    },
    "gateway/watch": (page, { messages = false, ...at }) => {
      page.#servers.watch(page.#at(at), messages);
      return {};
    },
    "gateway/unwatch": (page, { server }) => {
      page.#servers.unwatch(server);
      return {};
    },
    "gateway/task-start": async (page, { name, arguments: given = {}, ttl, ...at }, request) => {
      const params = { name, arguments: given, task: ttl === undefined ? {} : { ttl } };
      const result = recordOf(await page.#ask("tools/call", at, params, request, "tasks"));
      const isModern = page.#at(at).server.upstream.capabilities.tasks === undefined;
      if (isModern && result["task"] === undefined) return { result: showableResult(result) };
      const task = mustBeTask("tools/call", result["task"]);
      page.#options.tasks.add(page.#options.user, page.#at(at).server.settings, task.taskId);
      return { task };
    },
    "gateway/tasks": async (page, at, request) => {
      const { tasks } = recordOf(await page.#ask("tasks/list", at, {}, request, "tasks"));
      const read = (Array.isArray(tasks) ? tasks : []).flatMap((task) => readTask(task) ?? []);
      return { tasks: read.filter(({ taskId }) => page.#mayReach(at, taskId)) };
    },
    "gateway/task": async (page, { taskId, ...at }, request) => {
      page.#checkTask(at, taskId);
      const task = await page.#ask("tasks/get", at, { taskId }, request, "tasks");
      return { task: mustBeTask("tasks/get", task) };
    },
    "gateway/task-result": async (page, { taskId, ...at }, request) => {
      page.#checkTask(at, taskId);
      const result = await page.#ask("tasks/result", at, { taskId }, request, "tasks");
      return showableResult(result as CallToolResult);
    },
    "gateway/task-cancel": async (page, { taskId, ...at }, request) => {
      page.#checkTask(at, taskId);
      const task = await page.#ask("tasks/cancel", at, { taskId }, request, "tasks");
      return { task: mustBeTask("tasks/cancel", task) };
    },
    "gateway/icon": async (page, { src, ...at }, { signal }) => ({
      data: await iconOf(page.#at(at).server, src, signal),
    }),
  };

  static handles(method: string): method is Method {
    return Object.hasOwn(PageInspection.#handlers, method);
  }

  /** Answers a request of the page. */
  handle<M extends Method>(
    method: M,
    params: InspectionRequests[M]["params"],
    request: PageRequest,
  ): PageAnswer<M> {
    return PageInspection.#handlers[method](this, params, request);
  }

  #read<M extends "resources/read" | "prompts/get">(
    method: M,
    at: ServerReference,
    params: Record<string, unknown>,
    request: PageRequest,
  ): Promise<Result<M> | JsonText> {
    const { signal, onprogress } = request;
    return this.#pass(method, at, params, request, ({ server }, passed) =>
      server.upstream.request(method as UpstreamMethod, passed.params as Params<UpstreamMethod>, {
        signal,
        onprogress,
      }),
    ) as Promise<Result<M> | JsonText>;
  }

  /** Sends a request that no view may send, if the server declares what it needs. */
  #ask(
    method: ServerMethod,
    at: ServerReference,
    params: Record<string, unknown>,
    request: PageRequest,
    capability: "completions" | "tasks",
  ): Promise<unknown> {
    return this.#pass(method, at, params, request, ({ server }, passed) => {
      const { capabilities } = server.upstream;
      const isModern = capabilities.extensions?.[TASKS_EXTENSION] !== undefined;
      if (!capabilities[capability] && !(capability === "tasks" && isModern))
        throw missing(server, capability);
      if (method === "tasks/list" && !capabilities.tasks) throw missing(server, "tasks.list");
      const { signal, onprogress } = request;
      return server.ask(method, passed.params, { signal, onprogress });
    });
  }

  #pass(
    method: string,
    at: ServerReference,
    params: Record<string, unknown>,
    request: PageRequest,
    effect: Effect,
    asWritten = false,
  ): Promise<unknown> {
    return this.#options.pass(this.#call(method, at, params, request, asWritten), effect);
  }

  #call(
    method: string,
    { server, identity }: ServerReference,
    params: Record<string, unknown>,
    { key, signal, mayBeOld, trace }: PageRequest,
    asWritten: boolean,
  ): GuardedCall {
    const { user } = this.#options;
    const call = { actor: "host" as const, user, view: "", server, method, params, asWritten };
    return { ...call, identity, key, signal, mayBeOld, trace };
  }

  #at({ server, identity }: ServerReference): GuardedServer {
    return this.#options.server(server, identity);
  }

  /** At a shared server, the user reaches the own tasks only. */
  #mayReach(at: ServerReference, taskId: string): boolean {
    const { isShared, tasks, user } = this.#options;
    return !isShared(at.server) || tasks.isOf(user, this.#at(at).server.settings, taskId);
  }

  /** @throws {VitrineError} −32602 for a task of another user, as for one that does not exist */
  #checkTask(at: ServerReference, taskId: string): void {
    if (this.#mayReach(at, taskId)) return;
    const message = `you have started no task with this id at the server "${at.server}", which all users share`;
    throw new VitrineError(INVALID_PARAMS, message);
  }

  /**
   * Like {@link #checkOwn}, for a call that the guard records: so is its refusal.
   *
   * @throws {GatewayError} `server-shared`; `server-unknown`, `server-replaced`
   */
  async #checkOwnCall(
    method: string,
    at: ServerReference,
    params: Record<string, unknown>,
    request: PageRequest,
    asWritten = false,
  ): Promise<void> {
    const { guard } = this.#at(at);
    try {
      this.#checkOwn(at);
    } catch (error) {
      if (error instanceof GatewayError)
        await guard.refused(this.#call(method, at, params, request, asWritten), error);
      throw error;
    }
  }

  /** @throws {GatewayError} `server-shared` */
  #checkOwn({ server }: ServerReference): void {
    if (!this.#options.isShared(server)) return;
    throw new GatewayError(
      "server-shared",
      `all users share the server "${server}", and this could affect the others`,
    );
  }

  #capabilitiesOf(
    { server, guard }: GuardedServer,
    wanted: InspectionRequests["gateway/capabilities"]["params"]["hidden"],
  ): DeclaredCapabilities {
    const { user, capabilities, declarable, isShared } = this.#options;
    const before = capabilities.hidden(user, server.settings);
    if (wanted) capabilities.hide(user, server.settings, wanted);
    const hidden = [...capabilities.hidden(user, server.settings)];
    const available = isShared(server.settings.name) ? namesOf({}) : namesOf(declarable(guard));
    const isChanged = hidden.length !== before.size || hidden.some((name) => !before.has(name));
    return { available, hidden, needsRestart: isChanged && !isTold(server) };
  }

  async #rootsOf(
    server: Server,
    wanted: InspectionRequests["gateway/roots"]["params"]["roots"],
  ): Promise<ServerRoots> {
    const { user, roots: known } = this.#options;
    const hadAny = known.of(user, server.settings).roots.length > 0;
    if (wanted) {
      known.set(user, server.settings, wanted);
      // A server that was told of roots asks for them again.
      if (hadAny) await server.rootsChanged();
    }
    const { roots, from } = known.of(user, server.settings);
    return {
      roots: roots.map((root) => ({ ...root })),
      ...(from && { from }),
      needsRestart: wanted !== undefined && !isTold(server) && hadAny !== roots.length > 0,
    };
  }
}

/**
 * Whether the running server has been told already: revision 2026-07-28 declares capabilities with every request, earlier
 * ones only in the handshake.
 */
function isTold({ status: { state, protocolVersion = "" } }: Server): boolean {
  return state !== "ready" || protocolVersion >= "2026-07-28";
}

/** The values of a completion. A server may send anything. */
function readCompletion(completion: unknown): InspectionRequests["gateway/complete"]["result"] {
  const { values, total, hasMore } = isRecord(completion) ? completion : {};
  if (!Array.isArray(values))
    throw new VitrineError("invalid", "completion/complete: the answer has no list of values");
  return {
    values: values.filter((value) => typeof value === "string").slice(0, MOST_VALUES),
    ...(typeof total === "number" && { total }),
    ...(typeof hasMore === "boolean" && { hasMore }),
  };
}

/** The most values that the protocol allows in one answer. */
const MOST_VALUES = 100;

const missing = ({ settings }: Server, capability: string): GatewayError =>
  new GatewayError(
    "capability-missing",
    `the server "${settings.name}" does not declare the capability ${capability}`,
    { data: { capability } },
  );
