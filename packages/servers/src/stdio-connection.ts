/**
 * A connection to a local program.
 *
 * @module
 */
import type { Client } from "@modelcontextprotocol/client";
import { clientUpstream, type Upstream, type UpstreamMethod } from "@vitrine/guard";
import { JsonText, METHOD_NOT_FOUND, type Result, VitrineError } from "@vitrine/protocol";
import { GatewayError } from "@vitrine/wire";
import {
  type ConnectOptions,
  clientControls,
  diedOfProbe,
  handshake,
  isThere,
  type LogLevel,
  type ServerConnection,
} from "./connection.js";
import { DirectRequests, type DirectRequestsOptions } from "./direct-requests.js";
import type { Launch } from "./isolation/isolation.js";
import { modernEnvelope } from "./modern-envelope.js";
import { isAboutTasks, modernTasks } from "./modern-tasks.js";
import { RequestTimeouts } from "./request-timeouts.js";
import { answerAsk } from "./server-asks.js";
import { type AskServer, checkServerMethod } from "./server-requests.js";
import type { StdioSettings } from "./settings.js";
import { StdioTransport } from "./stdio-transport.js";
import { hearMessages } from "./wire-tap.js";

/** Options of {@link connectStdio}. */
export interface StdioConnectOptions extends ConnectOptions {
  transport: StdioSettings;
  launch: Launch;
}

/**
 * Starts the program and performs the handshake. After that, views' requests bypass the official client,
 * which handles the rest: the handshake, notifications, and the server's own requests.
 *
 * @throws {GatewayError} why it failed; `data.stderr` is the end of the server's stderr
 */
export async function connectStdio(options: StdioConnectOptions): Promise<ServerConnection> {
  try {
    return await connectOnce(options);
  } catch (error) {
    // The only case in which a server is started twice. It happens once per server, because the generation is
    // remembered.
    if (error instanceof GatewayError && diedOfProbe(error.cause)) return await connectOnce(options);
    throw error;
  }
}

async function connectOnce(options: StdioConnectOptions): Promise<ServerConnection> {
  const { settings, launch, info, asks } = options;
  const { command, args, env, cwd, folder, isolation } = options.transport;
  const { limits, name } = settings;
  const launched = await launch({ name, command, args, env, cwd, folder, isolation });
  const transport = new StdioTransport(launched, {
    message: limits.message,
    isolation,
    tap: options.tap,
  });
  transport.ongarbage = () => options.ongarbage?.(transport);
  let resolveEnded: (reason: GatewayError) => void = () => {};
  const ended = new Promise<GatewayError>((resolve) => {
    resolveEnded = resolve;
  });
  const timeouts = new RequestTimeouts(limits.timeout);
  let direct: DirectRequests | undefined;
  let isOver = false;
  transport.onclose = () => {
    isOver = true;
    const reason =
      transport.failure ?? new GatewayError("server-exited", `the connection to ${name} was closed`);
    direct?.close(reason);
    resolveEnded(reason);
  };
  let client: Client;
  try {
    client = await handshake(transport, options, timeouts);
  } catch (cause) {
    // Read before closing: the exit that follows says nothing about the cause.
    const why = transport.failure ?? cause;
    await transport.close();
    throw failure(name, transport, why, cause);
  }
  const version = client.getNegotiatedProtocolVersion();
  const modern = client.getProtocolEra() === "modern";
  const level: LogLevel = {};
  const answer: DirectRequestsOptions["answer"] =
    asks && ((request, signal) => answerAsk(asks, timeouts, request, signal));
  const requests = new DirectRequests({
    send: (text) => transport.sendText(text),
    timeouts,
    envelope: modern ? modernEnvelope({ version, info, asks, level }) : undefined,
    answer,
  });
  direct = requests;
  transport.taker = requests;
  const connection: ServerConnection = {
    upstream: directUpstream(client, requests, { server: name, timeout: limits.timeout }),
    ask: directAsks(requests, modern ? modernTasks({ requests, answer }) : undefined),
    ...clientControls(client, level),
    info: client.getServerVersion(),
    protocolVersion: version,
    driver: launched.driver,
    pid: launched.pid,
    get stderr() {
      return transport.stderr;
    },
    get isOver() {
      return isOver;
    },
    ended,
    ping: (timeout) => isThere(client, timeout),
    close: (grace) => transport.close(grace),
  };
  hearMessages(transport, (message) => connection.onmessage?.(message));
  return connection;
}

const DIRECT: ReadonlySet<string> = new Set<UpstreamMethod>([
  "tools/call",
  "tools/list",
  "resources/read",
  "resources/list",
  "resources/templates/list",
  "prompts/list",
  "prompts/get",
]);

/** Notifications and subscriptions go through the client, everything else bypasses it. */
function directUpstream(
  client: Client,
  direct: DirectRequests,
  options: { server: string; timeout: number },
): Upstream {
  const official = clientUpstream(client, options);
  return {
    server: options.server,
    get capabilities() {
      return official.capabilities;
    },
    async request(method, params, requestOptions) {
      if (method === "resources/subscribe" || method === "resources/unsubscribe") {
        return official.request(method, params, requestOptions);
      }
      if (!DIRECT.has(method)) throw new VitrineError(METHOD_NOT_FOUND, "Method not found");
      // The reader of a result validates it.
      return (await direct.request(method, params, requestOptions)) as Result<typeof method> | JsonText;
    },
    listen: (listener) => official.listen(listener),
  };
}

/** Sends the requests of a user who inspects the server. */
const directAsks =
  (direct: DirectRequests, tasks: AskServer | undefined): AskServer =>
  async (method, params, options) => {
    checkServerMethod(method, options);
    const { asWritten = false, ...requestOptions } = options ?? {};
    if (asWritten) return direct.request(method, params, requestOptions);
    if (tasks && isAboutTasks(method, params)) return tasks(method, params, options);
    const wireMethod = method === "ping" && tasks ? "server/discover" : method;
    const result = await direct.request(wireMethod, params, requestOptions);
    return result instanceof JsonText ? result.parse() : result;
  };

function failure(name: string, transport: StdioTransport, why: unknown, cause: unknown): GatewayError {
  const { stderr, garbage } = transport;
  const code =
    why instanceof GatewayError && why.data.code === "server-too-large"
      ? "server-too-large"
      : "server-failed";
  // The lines themselves appear in the status only, because this message is logged.
  const strange =
    garbage.count > 0
      ? `; it printed ${garbage.count} lines that are not messages: make it write such lines to stderr`
      : "";
  const fault = why instanceof GatewayError ? why.data["fault"] : undefined;
  return new GatewayError(code, `${name} could not be started: ${(why as Error).message}${strange}`, {
    cause,
    data: { stderr, fault },
  });
}
