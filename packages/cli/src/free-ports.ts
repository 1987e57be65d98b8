/**
 * Ports that nobody has.
 *
 * @module
 */
import { once } from "node:events";
import { createServer } from "node:net";
import { CliError } from "./exit.js";

const HOST = "127.0.0.1";
/** How many are tried before any port will do. */
const TRIES = 50;

/** Why a port of this machine cannot be taken now; undefined if it can. */
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

/** A port that cannot be taken, in words; undefined for any other error. */
export function portError(code: unknown, port: unknown, hint: string): CliError | undefined {
  if (code === "EADDRINUSE") return new CliError("port-in-use", `port ${port} is in use: ${hint}`);
  if (code !== "EACCES") return undefined;
  return new CliError("port-forbidden", `port ${port} is not for you to open: choose one above 1023`);
}

/**
 * A port for the page, and one for the apps. The same from start to start where that can be: what apps keep in a browser
 * belongs to their port.
 *
 * @param given the port that the person asked for
 * @param wish where to begin to look, if they did not
 * @throws {CliError} `port-in-use` or `port-forbidden`, if the person's own port is
 */
export async function freePorts(
  given: number | undefined,
  wish: number,
): Promise<{ page: number; apps: number }> {
  if (given === 0) return { page: 0, apps: 0 };
  const why = given === undefined ? undefined : await obstacle(given);
  const error = portError(why, given, "choose another with --port, or leave it out and a free one is taken");
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
