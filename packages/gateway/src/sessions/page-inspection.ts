/**
 * Requests of a user who inspects a server in a page.
 *
 * @module
 */
import { INVALID_PARAMS, isRecord, recordOf, VitrineError } from "@vitrine/protocol";
import type { InspectionRequests } from "@vitrine/wire";
import { problemOf } from "../asks/index.js";
import { affectsOthers } from "../guard/allow-list.js";
import { DeclaredToServer, type DeclaredToServerOptions } from "./declared-to-server.js";
import {
  GuardedRequests,
  type GuardedRequestsOptions,
  missing,
  type ServerEffect,
} from "./guarded-requests.js";
import { InspectedServers, type InspectedServersOptions } from "./inspected-servers.js";
import { InspectedTasks } from "./inspected-tasks.js";
import type { PageAnswer, PageRequest } from "./page-params.js";
import { withoutToken } from "./progress-token.js";
import { iconOf } from "./server-icon.js";
import type { UserTasks } from "./user-tasks.js";
import { readWritten } from "./written-result.js";

/** Options of {@link PageInspection}. */
export interface PageInspectionOptions
  extends InspectedServersOptions,
    DeclaredToServerOptions,
    GuardedRequestsOptions {
  /** The tasks of users at shared servers. */
  readonly tasks: UserTasks;
}

type Method = keyof InspectionRequests;

type Handlers = {
  readonly [M in Method]: (
    page: PageInspection,
    params: InspectionRequests[M]["params"],
    request: PageRequest,
  ) => PageAnswer<M>;
};

/** Answers the requests of a user who inspects servers. */
export class PageInspection {
  readonly #requests: GuardedRequests;
  readonly #servers: InspectedServers;
  readonly #declared: DeclaredToServer;
  readonly #tasks: InspectedTasks;

  constructor(options: PageInspectionOptions) {
    this.#requests = new GuardedRequests(options);
    this.#servers = new InspectedServers(options);
    this.#declared = new DeclaredToServer(options);
    const { user, tasks } = options;
    this.#tasks = new InspectedTasks({
      user,
      tasks,
      isShared: (server) => options.isShared(server),
      at: (reference) => this.#requests.at(reference).server,
      ask: (method, at, params, request) => this.#requests.ask(method, at, params, request, "tasks"),
    });
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
    "gateway/read": (page, { uri, ...at }, request) =>
      page.#requests.read("resources/read", at, { uri }, request),
    "gateway/prompt": (page, { name, arguments: given, ...at }, request) =>
      page.#requests.read("prompts/get", at, { name, ...(given && { arguments: given }) }, request),
    "gateway/complete": async (page, { ref, argument, context, ...at }, request) => {
      const params = { ref, argument, ...(context && { context }) };
      const { completion } = recordOf(
        await page.#requests.ask("completion/complete", at, params, request, "completions"),
      );
      return readCompletion(completion);
    },
    "gateway/subscribe": async (page, { uri, ...at }, request) => {
      await page.#requests.pass("resources/subscribe", at, { uri }, request, ({ server }) => {
        if (!server.upstream.capabilities.resources?.subscribe) throw missing(server, "resources.subscribe");
        return page.#servers.subscribe(server, uri, request.signal);
      });
      return {};
    },
    "gateway/unsubscribe": async (page, { uri, ...at }, request) => {
      await page.#requests.pass("resources/unsubscribe", at, { uri }, request, ({ server }) =>
        page.#servers.unsubscribe(server, uri),
      );
      return {};
    },
    "gateway/set-log-level": async (page, { level, ...at }, request) => {
      await page.#requests.checkOwnCall("logging/setLevel", at, { level }, request);
      await page.#requests.pass("logging/setLevel", at, { level }, request, async ({ server }) => {
        if (!server.upstream.capabilities.logging) throw missing(server, "logging");
        await server.setLogLevel(level);
      });
      return {};
    },
    "gateway/roots": async (page, { server: name, identity, roots }) => {
      const { server } = page.#requests.at({ server: name, identity });
      if (roots) {
        page.#requests.checkOwn({ server: name });
        const problem = problemOf(roots);
        if (problem !== undefined) throw new VitrineError(INVALID_PARAMS, problem);
      }
      return page.#declared.roots(server, roots);
    },
    "gateway/capabilities": (page, { server: name, identity, hidden }) => {
      const at = page.#requests.at({ server: name, identity });
      if (hidden) page.#requests.checkOwn({ server: name });
      return page.#declared.capabilities(at, hidden);
    },
    "gateway/ping": async (page, at, request) => {
      let milliseconds = 0;
      await page.#requests.pass("ping", at, {}, request, async ({ server }) => {
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
      if (affectsOthers(method)) await page.#requests.checkOwnCall(method, at, params, request, true);
      const { signal, onprogress } = request;
      const effect: ServerEffect = ({ server }, passed) =>
        server.ask(method, passed.params, { signal, onprogress, asWritten: true });
      return readWritten(await page.#requests.pass(method, at, params, request, effect, true));
    },
    "gateway/watch": (page, { messages = false, ...at }) => {
      page.#servers.watch(page.#requests.at(at), messages);
      return {};
    },
    "gateway/unwatch": (page, { server }) => {
      page.#servers.unwatch(server);
      return {};
    },
    "gateway/task-start": (page, { name, arguments: given, ttl, ...at }, request) =>
      page.#tasks.start(at, { name, arguments: given, ttl }, request),
    "gateway/tasks": (page, at, request) => page.#tasks.list(at, request),
    "gateway/task": (page, { taskId, ...at }, request) => page.#tasks.get(at, taskId, request),
    "gateway/task-result": (page, { taskId, ...at }, request) => page.#tasks.result(at, taskId, request),
    "gateway/task-cancel": (page, { taskId, ...at }, request) => page.#tasks.cancel(at, taskId, request),
    "gateway/icon": async (page, { src, ...at }, { signal }) => ({
      data: await iconOf(page.#requests.at(at).server, src, signal),
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
