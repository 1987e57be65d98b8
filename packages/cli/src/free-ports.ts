/**
 * Finds free ports.
 *
 * @module
 */
import { once } from "node:events";
import { createServer } from "node:net";
import { CliError } from "./exit.js";

const HOST = "127.0.0.1";
/** Number of attempts before any port is used. */
const TRIES = 50;

/** The error code of opening a port; undefined if it is free. */
async function obstacle(port: number): Promise<string | undefined> {
  const server = createServer();
  try {
    server.listen(port, HOST);
    await once(server, "listening");
    return undefined;
  } catch (error) {
    return String(Object(error).code);
  } finally {
    server.close();
  }
}

/** A port error for the user; undefined for any other error. */
export function portError(code: unknown, port: unknown, hint: string): CliError | undefined {
  if (code === "EADDRINUSE") return new CliError("port-in-use", `port ${port} is in use: ${hint}`);
  if (code !== "EACCES") return undefined;
  return new CliError("port-forbidden", `you are not allowed to open port ${port}: choose one above 1023`);
}

/**
 * Finds a port for the page and one for the apps. They stay the same between starts if possible, because the
 * browser storage of apps belongs to their port.
 *
 * @param given the port that the user asked for
 * @param wish where to start the search otherwise
 * @throws {CliError} `port-in-use` or `port-forbidden`, if the given port is
 */
export async function freePorts(
  given: number | undefined,
  wish: number,
): Promise<{ page: number; apps: number }> {
  if (given === 0) return { page: 0, apps: 0 };
  const why = given === undefined ? undefined : await obstacle(given);
  const error = portError(why, given, "choose another with --port, or omit it to use a free one");
  if (error) throw error;
  const page = given ?? (await next(wish));
  return { page, apps: page === 0 ? 0 : await next(page + 1) };
}

async function next(from: number): Promise<number> {
  for (let port = from; port < from + TRIES && port < 65_536; port++) {
    if ((await obstacle(port)) === undefined) return port;
  }
  return 0;
}
