/**
 * Serves a server as the command line says: by stdio, or by HTTP with `--http`.
 *
 * @module
 */
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { AppServer } from "./app-server.js";
import type { AnyTool } from "./tool.js";

/**
 * Bytes of a message. The SDK takes 4 MiB by HTTP, less than the files that a page may send at once in base64; and over 10 MiB by
 * stdio it ends the process.
 */
const MAX_MESSAGE = 16 * 2 ** 20;

/** Options of {@link serve}. */
export interface ServeOptions {
  /** What the command line says; that of this process by default. */
  readonly argv?: readonly string[] | undefined;
  /** Where it listens, with `--http`; only programs of this machine reach it by default. */
  readonly host?: string | undefined;
}

/** A server that is served. */
export interface Serving {
  /** Where, by HTTP. */
  readonly url?: string | undefined;
  close(): Promise<void>;
}

/**
 * Serves by stdio; with `--http`, `--http 3001` or `--http=3001` on the command line by Streamable HTTP, at `/mcp`.
 *
 * @example
 * ```ts source="./server.examples.ts#serve"
 * await serve(weather);
 * ```
 */
export async function serve(
  server: AppServer<readonly AnyTool[]>,
  { argv = process.argv.slice(2), host = "127.0.0.1" }: ServeOptions = {},
): Promise<Serving> {
  // What is wrong with a view is told now, and not when somebody asks for it. The rest is served.
  await server.problems();
  const watching = server.options.reloads
    ? await (await import("./follow-views.js")).followViews(server)
    : undefined;
  const at = argv.findIndex((word) => /^--http(=|$)/.test(word));
  const port = portOf(argv[at], argv[at + 1]);
  const serving: Serving =
    at < 0
      ? serveStdio(server.create, { transport: stdio() })
      : await byHttp(server, port, host).catch(async (error: unknown) => {
          await watching?.close();
          throw error;
        });
  // Standard output is for messages, so people read these lines on standard error.
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

/** That of `--http=3001`, or the word after `--http` if that is a number; any that is free otherwise. */
function portOf(option = "", next = ""): number {
  const [, said = ""] = option.split("=");
  if (/^\d*$/.test(said)) return Number(said || (/^\d+$/.test(next) ? next : 0));
  throw new RangeError(`${option}: a port is a number, as in --http=3001`);
}

const stdio = (): StdioServerTransport =>
  new StdioServerTransport(undefined, undefined, { maxBufferSize: MAX_MESSAGE });

/** Loaded where it is wanted: most servers are started anew for every client, by stdio. */
async function byHttp(server: AppServer<readonly AnyTool[]>, port: number, host: string): Promise<Serving> {
  const { serveHttp } = await import("./serve-http.js");
  return serveHttp(server.http({ maxRequestBodySize: MAX_MESSAGE }), port, host);
}
