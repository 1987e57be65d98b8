/**
 * Serves a server as the command line says: by stdio, or by HTTP with `--http`.
 *
 * @module
 */
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { AppServer } from "./app-server.js";
import type { AnyTool } from "./tool.js";

/**
 * Maximum bytes of a message. The SDK's HTTP limit of 4 MiB is less than the files that a page may send in
 * base64; above its stdio limit of 10 MiB it ends the process.
 */
const MAX_MESSAGE = 16 * 2 ** 20;

/** Options of {@link serve}. */
export interface ServeOptions {
  /** The command line; that of this process by default. */
  readonly argv?: readonly string[] | undefined;
  /** The address to listen on with `--http`; only this machine by default. */
  readonly host?: string | undefined;
}

/** A running server. */
export interface RunningServer {
  /** The URL, if served by HTTP. */
  readonly url?: string | undefined;
  close(): Promise<void>;
}

/**
 * Serves by stdio. With `--http`, `--http 3001` or `--http=3001` on the command line, serves Streamable HTTP
 * at `/mcp`.
 *
 * @example
 * ```ts source="./server.examples.ts#serve"
 * await serve(weather);
 * ```
 */
export async function serve(
  server: AppServer<readonly AnyTool[]>,
  { argv = process.argv.slice(2), host = "127.0.0.1" }: ServeOptions = {},
): Promise<RunningServer> {
  // Report problems of views now, not at the first request. The rest is served.
  await server.problems();
  const watching = server.options.reloads
    ? await (await import("./follow-views.js")).followViews(server)
    : undefined;
  const at = argv.findIndex((word) => /^--http(=|$)/.test(word));
  const port = portOf(argv[at], argv[at + 1]);
  const serving: RunningServer =
    at < 0
      ? serveStdio(server.create, { transport: stdio() })
      : await byHttp(server, port, host).catch(async (error: unknown) => {
          await watching?.close();
          throw error;
        });
  // Standard output is for messages, so these lines go to standard error.
  if (serving.url) process.stderr.write(`${server.options.name} is served at ${serving.url}\n`);
  for (const { message } of await server.advice()) process.stderr.write(`${message}\n`);
  return {
    url: serving.url,
    close: async () => {
      await watching?.close();
      await serving.close();
    },
  };
}

/** The port of `--http=3001`, or the word after `--http` if it is a number; otherwise a free one. */
function portOf(option = "", next = ""): number {
  const [, said = ""] = option.split("=");
  if (/^\d*$/.test(said)) return Number(said || (/^\d+$/.test(next) ? next : 0));
  throw new RangeError(`${option}: the port must be a number, as in --http=3001`);
}

const stdio = (): StdioServerTransport =>
  new StdioServerTransport(undefined, undefined, { maxBufferSize: MAX_MESSAGE });

/** Loaded on demand: most servers use stdio and are started for every client. */
async function byHttp(
  server: AppServer<readonly AnyTool[]>,
  port: number,
  host: string,
): Promise<RunningServer> {
  const { serveHttp } = await import("./serve-http.js");
  return serveHttp(server.http({ maxRequestBodySize: MAX_MESSAGE }), port, host);
}
