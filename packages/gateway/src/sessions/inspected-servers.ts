/**
 * Follows, for a page, the servers that its user inspects.
 *
 * @module
 */
import { isRecord, VitrineError } from "@vitrine/protocol";
import type { Server, ServerNotice } from "@vitrine/servers";
import type {
  GatewayNotices,
  ServerLogLine,
  ServerTask,
  TrafficMessage,
  WatchedExchange,
} from "@vitrine/wire";
import type { GuardedServer } from "../guard/guarded-servers.js";
import { redacted } from "../guard/redact.js";
import { BoundedSubscriptions } from "./bounded-subscriptions.js";
import { NoticeBatches } from "./notice-batches.js";
import { ServerHttp } from "./server-http.js";
import { readTask } from "./server-task.js";
import { ServerTraffic } from "./server-traffic.js";
import { shortText } from "./short-text.js";
import { SmallMap } from "./small-map.js";

/** Options of {@link InspectedServers}. */
export interface InspectedServersOptions {
  /** @throws {GatewayError} `server-unknown`, `server-replaced` */
  server(name: string, identity?: string): GuardedServer;
  /** Sends a notification. While the page is slow, only the latest one of each `kind` is kept for later. */
  notify<M extends keyof GatewayNotices>(kind: string, method: M, params: GatewayNotices[M]): void;
  /** Sends a notification at once. */
  send<M extends keyof GatewayNotices>(method: M, params: GatewayNotices[M]): void;
  /** Whether the send queue is above its high-water mark. */
  isCongested(): boolean;
  /** Names of fields whose values are masked. */
  fields(): readonly string[];
  /** Whether other users use the same server. */
  isShared(name: string): boolean;
  /** Called with errors that the page does not see. */
  onerror(error: unknown): void;
}

/** A server that a page follows. */
interface Followed {
  readonly server: Server;
  watch: Watch | undefined;
  readonly subscriptions: BoundedSubscriptions;
  stop(): void;
}

/** Reports about one server to the page. */
interface Watch {
  readonly messages: boolean;
  flush(): void;
  stop(): void;
}

/** The subscriptions of a page itself, beside those of its views, and the servers that it watches. */
export class InspectedServers {
  readonly #options: InspectedServersOptions;
  readonly #followed = new SmallMap<string, Followed>();
  #isOver = false;

  constructor(options: InspectedServersOptions) {
    this.#options = options;
  }

  async subscribe(server: Server, uri: string, signal?: AbortSignal): Promise<void> {
    await this.#follow(server).subscriptions.add(uri, signal);
  }

  async unsubscribe(server: Server, uri: string): Promise<void> {
    await this.#followed.get(server.settings.name)?.subscriptions.remove(uri);
  }

  /** Starts to report log lines, tasks, and with `messages` everything that passes. */
  watch(at: GuardedServer, messages: boolean): void {
    const followed = this.#follow(at.server);
    if (followed.watch?.messages === messages) return;
    followed.watch?.stop();
    followed.watch = this.#watch(at, messages);
  }

  unwatch(name: string): void {
    const followed = this.#followed.get(name);
    followed?.watch?.stop();
    if (followed) followed.watch = undefined;
  }

  /** Sends delayed notifications, because the page reads again. */
  resume(): void {
    for (const { watch } of this.#followed.values()) watch?.flush();
  }

  /** Subscribes again at a server with new settings, or one that is back. Another server gets nothing. */
  moved(name: string): void {
    const before = this.#followed.get(name);
    if (!before) return;
    const { uris } = before.subscriptions;
    this.removed(name);
    const at = this.#options.server(name);
    const { server } = at;
    if (server.settings.identity !== before.server.settings.identity) return;
    if (before.watch) this.watch(at, before.watch.messages);
    for (const uri of uris) this.#subscribeAgain(server, uri);
  }

  removed(name: string): void {
    this.#followed.get(name)?.stop();
    this.#followed.delete(name);
  }

  clear(): void {
    for (const name of [...this.#followed.keys()]) this.removed(name);
  }

  /** The page has ended: requests that are still pending follow nothing any more. */
  end(): void {
    this.#isOver = true;
    this.clear();
  }

  #subscribeAgain(server: Server, uri: string): void {
    const { notify, onerror } = this.#options;
    const { name } = server.settings;
    this.subscribe(server, uri).then(
      // It may have changed meanwhile.
      () => notify(`updated ${name} ${uri}`, "gateway/updated", { server: name, uri }),
      onerror,
    );
  }

  #watch({ server, guard }: GuardedServer, messages: boolean): Watch {
    const { name } = server.settings;
    const { send, isCongested, fields, isShared } = this.#options;
    const lines = new NoticeBatches<ServerLogLine>({
      isCongested,
      send: (entries, dropped) => send("gateway/log", { server: name, lines: entries, dropped }),
    });
    const passed = new NoticeBatches<TrafficMessage>({
      isCongested,
      send: (entries, dropped) => send("gateway/traffic", { server: name, messages: entries, dropped }),
    });
    const tasks = new NoticeBatches<ServerTask>({
      isCongested,
      kept: MOST_TASKS,
      send: (entries) => {
        for (const task of entries) send("gateway/task", { server: name, task });
      },
    });
    const exchanged = new NoticeBatches<WatchedExchange>({
      isCongested,
      send: (entries, dropped) => send("gateway/http", { server: name, exchanges: entries, dropped }),
    });
    const batches = [lines, passed, tasks, exchanged];
    const origin = {
      fields,
      isShared: isShared(name),
      originOf: (traceparent: string) => guard.originOf(traceparent),
    };
    const traffic = new ServerTraffic({
      ...origin,
      take: (message) => passed.add(message, sizeOf(message)),
    });
    const http = new ServerHttp({
      ...origin,
      settings: server.settings,
      take: (exchange) => exchanged.add(exchange, JSON.stringify(exchange).length),
    });
    // Log lines of a shared server may be about others' calls.
    const unlisten = isShared(name)
      ? undefined
      : server.onNotice((method, params) => takeNotice(method, params, fields(), lines, tasks));
    const unwatch = messages
      ? server.onWire(
          (message) => traffic.take(message),
          (exchange) => http.take(exchange),
        )
      : undefined;
    return {
      messages,
      flush: () => {
        for (const batch of batches) batch.flush();
      },
      stop: () => {
        unlisten?.();
        unwatch?.();
        for (const batch of batches) batch.clear();
      },
    };
  }

  #follow(server: Server): Followed {
    const { name } = server.settings;
    if (this.#isOver) throw new VitrineError("aborted", "the page has ended");
    const known = this.#followed.get(name);
    if (known?.server === server) return known;
    known?.stop();
    const subscriptions = new BoundedSubscriptions(server.upstream);
    const unlisten = server.upstream.listen((method, { uri }) => {
      if (method !== "notifications/resources/updated" || !subscriptions.isSubscribedTo(uri)) return;
      this.#options.notify(`updated ${name} ${uri}`, "gateway/updated", { server: name, uri: String(uri) });
    });
    const followed: Followed = {
      server,
      watch: undefined,
      subscriptions,
      stop: () => {
        unlisten();
        followed.watch?.stop();
        subscriptions.clear();
      },
    };
    this.#followed.set(name, followed);
    return followed;
  }
}

/** Characters of the data of a line that are shown. */
const MOST_DATA = 50_000;
/** Characters of tasks that wait for a page that does not read. */
const MOST_TASKS = 500_000;

/** Characters of a message with all its fields. The text is not serialized again. */
const sizeOf = ({ text = "", ...fields }: TrafficMessage): number =>
  text.length + JSON.stringify(fields).length;

/** Keeps a notification of a server for the next batch. */
function takeNotice(
  method: ServerNotice,
  params: Record<string, unknown>,
  fields: readonly string[],
  lines: NoticeBatches<ServerLogLine>,
  tasks: NoticeBatches<ServerTask>,
): void {
  if (method === "notifications/message") {
    const line = readLine(params, fields);
    lines.add(line, JSON.stringify(line).length);
    return;
  }
  const task = readTask(isRecord(params["task"]) ? params["task"] : params);
  if (task) tasks.add(task, JSON.stringify(task).length);
}

/** A log line, with masked secrets. A server may send anything. */
function readLine(
  { level, logger, data }: Record<string, unknown>,
  fields: readonly string[],
): ServerLogLine {
  return {
    at: Date.now(),
    level: typeof level === "string" ? shortText(level, 20) : "info",
    ...(typeof logger === "string" && { logger: shortText(logger, 200) }),
    ...(data !== undefined && { data: JSON.parse(redacted(data, { fields, limit: MOST_DATA })) as unknown }),
  };
}
