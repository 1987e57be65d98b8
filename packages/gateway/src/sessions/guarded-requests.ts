/**
 * Requests of one user to servers, through the guard.
 *
 * @module
 */
import type { UpstreamMethod } from "@vitrine/guard";
import type { JsonText, Params, Result } from "@vitrine/protocol";
import { type Server, type ServerMethod, TASKS_EXTENSION } from "@vitrine/servers";
import { GatewayError, type ServerReference } from "@vitrine/wire";
import type { GuardedCall } from "../guard/guarded-call.js";
import type { GuardedServer, GuardedServers } from "../guard/guarded-servers.js";
import type { PageRequest } from "./page-params.js";

/** Options of {@link GuardedRequests}. */
export interface GuardedRequestsOptions {
  readonly user: string;
  /** Passes a request through the guard of its server; see {@link GuardedServers.pass}. */
  readonly pass: GuardedServers["pass"];
  /** The current server with its guard. */
  server(name: string, identity?: ServerReference["identity"]): GuardedServer;
  isShared(server: string): boolean;
}

/** The act of a request, once the guard lets it pass. */
export type ServerEffect = (at: GuardedServer, passed: GuardedCall) => Promise<unknown>;

/** Sends the requests. */
export class GuardedRequests {
  readonly #options: GuardedRequestsOptions;

  constructor(options: GuardedRequestsOptions) {
    this.#options = options;
  }

  read<M extends "resources/read" | "prompts/get">(
    method: M,
    at: ServerReference,
    params: Record<string, unknown>,
    request: PageRequest,
  ): Promise<Result<M> | JsonText> {
    const { signal, onprogress } = request;
    return this.pass(method, at, params, request, ({ server }, passed) =>
      server.upstream.request(method as UpstreamMethod, passed.params as Params<UpstreamMethod>, {
        signal,
        onprogress,
      }),
    ) as Promise<Result<M> | JsonText>;
  }

  /** Sends a request that no view may send, if the server declares what it needs. */
  ask(
    method: ServerMethod,
    at: ServerReference,
    params: Record<string, unknown>,
    request: PageRequest,
    capability: "completions" | "tasks",
  ): Promise<unknown> {
    return this.pass(method, at, params, request, ({ server }, passed) => {
      const { capabilities } = server.upstream;
      const isModern = capabilities.extensions?.[TASKS_EXTENSION] !== undefined;
      if (!capabilities[capability] && !(capability === "tasks" && isModern))
        throw missing(server, capability);
      if (method === "tasks/list" && !capabilities.tasks) throw missing(server, "tasks.list");
      const { signal, onprogress } = request;
      return server.ask(method, passed.params, { signal, onprogress });
    });
  }

  pass(
    method: string,
    at: ServerReference,
    params: Record<string, unknown>,
    request: PageRequest,
    effect: ServerEffect,
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

  at({ server, identity }: ServerReference): GuardedServer {
    return this.#options.server(server, identity);
  }

  /**
   * Like {@link GuardedRequests.checkOwn}, for a call that the guard records: so is its refusal.
   *
   * @throws {GatewayError} `server-shared`; `server-unknown`, `server-replaced`
   */
  async checkOwnCall(
    method: string,
    at: ServerReference,
    params: Record<string, unknown>,
    request: PageRequest,
    asWritten = false,
  ): Promise<void> {
    const { guard } = this.at(at);
    try {
      this.checkOwn(at);
    } catch (error) {
      if (error instanceof GatewayError)
        await guard.refused(this.#call(method, at, params, request, asWritten), error);
      throw error;
    }
  }

  /** @throws {GatewayError} `server-shared` */
  checkOwn({ server }: ServerReference): void {
    if (!this.#options.isShared(server)) return;
    throw new GatewayError(
      "server-shared",
      `all users share the server "${server}", and this could affect the others`,
    );
  }
}

/** The error of a server that does not declare what a request needs. */
export const missing = ({ settings }: Server, capability: string): GatewayError =>
  new GatewayError(
    "capability-missing",
    `the server "${settings.name}" does not declare the capability ${capability}`,
    { data: { capability } },
  );
