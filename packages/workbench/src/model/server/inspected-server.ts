/**
 * A server that the user inspects in this page.
 *
 * @module
 */
import type { GatewayClient } from "@vitrine/host/gateway";
import type { CallToolResult, LoggingLevel, Progress, Result } from "@vitrine/protocol";
import type {
  ClientCapability,
  CompletionSource,
  DeclaredCapabilities,
  ServerLogLine,
  ServerRoot,
  ServerRoots,
  ServerSummary,
  ServerTask,
} from "@vitrine/wire";
import { readResult } from "../app/foreign.js";
import { Observable } from "../observable.js";
import { ServerSignIn } from "../sign-in/sign-in.js";
import { type Complete, serverCompletion } from "./completion.js";
import { HttpLog } from "./http-log.js";
import type { KeptAboutServer } from "./kept-requests.js";
import { type MadeRequest, RequestLog } from "./request-log.js";
import { ServerTimeline } from "./timeline.js";

/** Log lines that are kept. */
const MOST_LINES = 5_000;

/** Everything that is known about the server beside its status and its lists. */
export class InspectedServer extends Observable {
  readonly name: string;
  readonly timeline = new ServerTimeline();
  readonly http = new HttpLog();
  readonly requests: RequestLog;
  readonly kept: KeptAboutServer;
  readonly signIn: ServerSignIn;
  lines: readonly ServerLogLine[] = [];
  droppedLines = 0;
  /** Resources that this page has subscribed to, with the number of their changes. */
  readonly subscriptions = new Map<string, number>();
  /** Known tasks, the newest first. */
  tasks: readonly ServerTask[] = [];
  level: LoggingLevel | undefined;
  readonly #gateway: GatewayClient;
  readonly #icons = new Map<string, Promise<string>>();
  #stops: (() => void)[] = [];
  #watchers = 0;

  constructor(gateway: GatewayClient, name: string, kept: KeptAboutServer) {
    super();
    this.#gateway = gateway;
    this.name = name;
    this.kept = kept;
    this.requests = new RequestLog(kept.pinned);
    this.signIn = new ServerSignIn(gateway, name);
  }

  /** Follows the server while somebody looks; returns a function that stops. */
  watch(): () => void {
    if (this.#watchers++ === 0) this.#begin();
    let isOn = true;
    return () => {
      if (!isOn) return;
      isOn = false;
      if (--this.#watchers > 0) return;
      for (const stop of this.#stops.splice(0)) stop();
      void this.#gateway.request("gateway/unwatch", this.#at).catch(() => {});
    };
  }

  #begin(): void {
    const { name } = this;
    const mine =
      <T extends { server: string }>(act: (params: T) => void) =>
      (params: T): void => {
        if (params.server === name) act(params);
      };
    this.#stops = [
      this.#gateway.on(
        "gateway/traffic",
        mine(({ messages, dropped }) => this.timeline.take(name, messages, dropped)),
      ),
      this.#gateway.on(
        "gateway/http",
        mine(({ exchanges, dropped }) => this.http.take(exchanges, dropped)),
      ),
      this.#gateway.on(
        "gateway/log",
        mine(({ lines, dropped }) => {
          this.lines = [...this.lines, ...lines].slice(-MOST_LINES);
          this.droppedLines += dropped;
          this.changed();
        }),
      ),
      this.#gateway.on(
        "gateway/updated",
        mine(({ uri }) => {
          // A server may name a part of what was subscribed to.
          const known = [...this.subscriptions.keys()].find(
            (own) => uri === own || uri.startsWith(`${own}/`),
          );
          if (known !== undefined) this.subscriptions.set(known, (this.subscriptions.get(known) ?? 0) + 1);
          this.changed();
        }),
      ),
      this.#gateway.on(
        "gateway/task",
        mine(({ task }) => this.#learn(task)),
      ),
    ];
    // Its problem is in the server's status.
    void this.renew().catch(() => {});
  }

  /** Watches again, after the page got a new session or the server came back. */
  async renew(): Promise<void> {
    if (this.#watchers === 0) return;
    await this.#gateway.request("gateway/watch", { ...this.#at, messages: true });
    for (const uri of this.subscriptions.keys())
      await this.#gateway.request("gateway/subscribe", { ...this.#at, uri });
  }

  get #at(): { server: string } {
    return { server: this.name };
  }

  call(
    name: string,
    input: Record<string, unknown>,
    options: { signal?: AbortSignal; onprogress?: (progress: Progress) => void } = {},
  ): Promise<MadeRequest> {
    return this.requests.make({ kind: "tools/call", name, input }, async () =>
      readResult(
        await this.#gateway.request("gateway/call", { ...this.#at, name, arguments: input }, options),
      ),
    );
  }

  read(uri: string): Promise<MadeRequest> {
    return this.requests.make({ kind: "resources/read", name: uri, input: {} }, () =>
      this.#gateway.request("gateway/read", { ...this.#at, uri }),
    );
  }

  prompt(name: string, input: Record<string, string>): Promise<MadeRequest> {
    return this.requests.make({ kind: "prompts/get", name, input }, () =>
      this.#gateway.request("gateway/prompt", { ...this.#at, name, arguments: input }),
    );
  }

  /** Sends a request that the user has written. */
  send(method: string, params: Readonly<Record<string, unknown>>): Promise<MadeRequest> {
    return this.requests.make({ kind: "any", name: method, input: params }, () =>
      this.#gateway.request("gateway/request", { ...this.#at, method, params: { ...params } }),
    );
  }

  /** Makes a request again, with other arguments if given. */
  again({ kind, name, input }: Pick<MadeRequest, "kind" | "name" | "input">): Promise<MadeRequest> {
    if (kind === "any") return this.send(name, input);
    if (kind === "resources/read") return this.read(name);
    return kind === "tools/call"
      ? this.call(name, { ...input })
      : this.prompt(name, input as Record<string, string>);
  }

  /** Pins a request, or removes its pin. */
  pin(request: MadeRequest, isPinned: boolean): void {
    this.requests.pin(request.n, isPinned);
    if (isPinned) this.kept.pin(request);
    else this.kept.unpin(request);
  }

  completion(ref: CompletionSource, summary: ServerSummary): Complete | undefined {
    return serverCompletion(this.#gateway, summary, ref);
  }

  /** Subscribes to a resource. */
  async follow(uri: string): Promise<void> {
    await this.#gateway.request("gateway/subscribe", { ...this.#at, uri });
    this.subscriptions.set(uri, 0);
    this.changed();
  }

  /** Ends the subscription. */
  async unfollow(uri: string): Promise<void> {
    this.subscriptions.delete(uri);
    this.changed();
    await this.#gateway.request("gateway/unsubscribe", { ...this.#at, uri });
  }

  /** The user has seen the changes of a resource. */
  seen(uri: string): void {
    if (!this.subscriptions.get(uri)) return;
    this.subscriptions.set(uri, 0);
    this.changed();
  }

  async setLevel(level: LoggingLevel): Promise<void> {
    await this.#gateway.request("gateway/set-log-level", { ...this.#at, level });
    this.level = level;
    this.changed();
  }

  clearLines(): void {
    this.lines = [];
    this.changed();
  }

  async ping(): Promise<number> {
    return (await this.#gateway.request("gateway/ping", this.#at)).milliseconds;
  }

  roots(roots?: ServerRoot[]): Promise<ServerRoots> {
    return this.#gateway.request("gateway/roots", { ...this.#at, ...(roots && { roots }) });
  }

  /** The declared capabilities; with `hidden`, leaves those out first. */
  capabilities(hidden?: ClientCapability[]): Promise<DeclaredCapabilities> {
    return this.#gateway.request("gateway/capabilities", { ...this.#at, ...(hidden && { hidden }) });
  }

  /** An icon as a `data:` URL. */
  icon(src: string): Promise<string> {
    const known =
      this.#icons.get(src) ??
      this.#gateway.request("gateway/icon", { ...this.#at, src }).then(({ data }) => data);
    this.#icons.set(src, known);
    return known;
  }

  /** Starts a task; the result if the server answers without one. */
  async startTask(name: string, input: Record<string, unknown>): Promise<ServerTask | CallToolResult> {
    const asked = { ...this.#at, name, arguments: input };
    const answer = await this.#gateway.request("gateway/task-start", asked);
    return "task" in answer ? this.#learn(answer.task) : readResult(answer.result);
  }

  /** Asks for the states of all tasks that the server lists. */
  async listTasks(): Promise<void> {
    for (const task of (await this.#gateway.request("gateway/tasks", this.#at)).tasks) this.#learn(task);
  }

  async task(taskId: string): Promise<ServerTask> {
    return this.#learn((await this.#gateway.request("gateway/task", { ...this.#at, taskId })).task);
  }

  async taskResult(taskId: string, signal: AbortSignal): Promise<CallToolResult> {
    const result: Result<"tools/call"> = await this.#gateway.request(
      "gateway/task-result",
      { ...this.#at, taskId },
      { signal },
    );
    return readResult(result);
  }

  async cancelTask(taskId: string): Promise<void> {
    this.#learn((await this.#gateway.request("gateway/task-cancel", { ...this.#at, taskId })).task);
  }

  #learn(task: ServerTask): ServerTask {
    const isKnown = this.tasks.some(({ taskId }) => taskId === task.taskId);
    this.tasks = isKnown
      ? this.tasks.map((each) => (each.taskId === task.taskId ? { ...each, ...task } : each))
      : [task, ...this.tasks];
    this.changed();
    return task;
  }
}
