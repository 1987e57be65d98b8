/**
 * The tasks of a server that a user inspects.
 *
 * @module
 */
import { type CallToolResult, INVALID_PARAMS, recordOf, VitrineError } from "@vitrine/protocol";
import { type Server, type ServerMethod, showableResult } from "@vitrine/servers";
import type { InspectionRequests, ServerReference } from "@vitrine/wire";
import type { PageRequest } from "./page-params.js";
import { mustBeTask, readTask } from "./server-task.js";
import type { UserTasks } from "./user-tasks.js";

type Requests = InspectionRequests;
type Params<M extends keyof Requests> = Omit<Requests[M]["params"], keyof ServerReference>;

/** Options of {@link InspectedTasks}. */
export interface InspectedTasksOptions {
  readonly user: string;
  readonly tasks: UserTasks;
  isShared(server: string): boolean;
  /** The current server of a reference. */
  at(reference: ServerReference): Server;
  /** Sends a request, if the server declares tasks. */
  ask(
    method: ServerMethod,
    at: ServerReference,
    params: Record<string, unknown>,
    request: PageRequest,
  ): Promise<unknown>;
}

/** Starts, lists, reads and cancels tasks for a user. */
export class InspectedTasks {
  readonly #options: InspectedTasksOptions;

  constructor(options: InspectedTasksOptions) {
    this.#options = options;
  }

  async start(
    at: ServerReference,
    { name, arguments: given = {}, ttl }: Params<"gateway/task-start">,
    request: PageRequest,
  ): Promise<Requests["gateway/task-start"]["result"]> {
    const { ask, tasks, user } = this.#options;
    const params = { name, arguments: given, task: ttl === undefined ? {} : { ttl } };
    const result = recordOf(await ask("tools/call", at, params, request));
    const isModern = this.#options.at(at).upstream.capabilities.tasks === undefined;
    if (isModern && result["task"] === undefined) return { result: showableResult(result) };
    const task = mustBeTask("tools/call", result["task"]);
    tasks.add(user, this.#options.at(at).settings, task.taskId);
    return { task };
  }

  async list(at: ServerReference, request: PageRequest): Promise<Requests["gateway/tasks"]["result"]> {
    const { tasks } = recordOf(await this.#options.ask("tasks/list", at, {}, request));
    const read = (Array.isArray(tasks) ? tasks : []).flatMap((task) => readTask(task) ?? []);
    return { tasks: read.filter(({ taskId }) => this.#mayReach(at, taskId)) };
  }

  async get(
    at: ServerReference,
    taskId: string,
    request: PageRequest,
  ): Promise<Requests["gateway/task"]["result"]> {
    return { task: mustBeTask("tasks/get", await this.#ask("tasks/get", at, taskId, request)) };
  }

  async result(
    at: ServerReference,
    taskId: string,
    request: PageRequest,
  ): Promise<Requests["gateway/task-result"]["result"]> {
    return showableResult((await this.#ask("tasks/result", at, taskId, request)) as CallToolResult);
  }

  async cancel(
    at: ServerReference,
    taskId: string,
    request: PageRequest,
  ): Promise<Requests["gateway/task-cancel"]["result"]> {
    return { task: mustBeTask("tasks/cancel", await this.#ask("tasks/cancel", at, taskId, request)) };
  }

  #ask(method: ServerMethod, at: ServerReference, taskId: string, request: PageRequest): Promise<unknown> {
    this.#check(at, taskId);
    return this.#options.ask(method, at, { taskId }, request);
  }

  /** At a shared server, the user reaches the own tasks only. */
  #mayReach(at: ServerReference, taskId: string): boolean {
    const { isShared, tasks, user } = this.#options;
    return !isShared(at.server) || tasks.isOf(user, this.#options.at(at).settings, taskId);
  }

  /** @throws {VitrineError} −32602 for a task of another user, as for one that does not exist */
  #check(at: ServerReference, taskId: string): void {
    if (this.#mayReach(at, taskId)) return;
    const message = `you have started no task with this id at the server "${at.server}", which all users share`;
    throw new VitrineError(INVALID_PARAMS, message);
  }
}
