/**
 * Finds the program of a server before anything is started, so that a wrong name gets a clear error.
 *
 * @module
 */
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import { GatewayError } from "@vitrine/wire";

/** The search path if none is set. */
export const USUAL_PATH = "/usr/local/bin:/usr/bin:/bin";

/** The search path: the server's own `PATH`, or else the gateway's. */
export const searchPath = (env: Readonly<Record<string, string>>): string =>
  env["PATH"] ?? process.env["PATH"] ?? USUAL_PATH;

/** The absolute path of a program. Links are not resolved. */
export async function findProgram(command: string, path: string, cwd?: string): Promise<string | undefined> {
  const candidates = command.includes("/")
    ? [resolve(cwd ?? ".", command)]
    : path
        .split(delimiter)
        .filter((folder) => folder.startsWith("/"))
        .map((folder) => join(folder, command));
  for (const candidate of candidates) if (await isProgram(candidate)) return candidate;
  return undefined;
}

/** Like {@link findProgram}, for a server. Throws if the program does not exist. */
export async function needProgram(spec: {
  name: string;
  command: string;
  env: Readonly<Record<string, string>>;
  cwd?: string | undefined;
  folder?: string | undefined;
}): Promise<string> {
  const found = await findProgram(spec.command, searchPath(spec.env), spec.cwd ?? spec.folder);
  if (found) return found;
  const where = spec.command.includes("/") ? "" : " in its PATH";
  throw new GatewayError(
    "server-failed",
    `The server "${spec.name}" cannot start: there is no program "${spec.command}"${where}; install it, or set "command" to its absolute path`,
  );
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
