/**
 * Reads files of other programs that have servers.
 *
 * @module
 */
import { readFile, stat } from "node:fs/promises";
import type { ImportFile } from "@vitrine/wire";
import { findServers } from "./found-servers.js";
import type { SetupHost } from "./setup-host.js";

/** Bytes: Claude Code keeps its history in the same file. */
const MAX_SIZE = 20_000_000;

/** The existing files that have servers, or cannot be read. */
export async function importFiles(host: Pick<SetupHost, "file" | "importPlaces">): Promise<ImportFile[]> {
  const files = await Promise.all(
    host
      .importPlaces()
      .filter(({ path }) => path !== host.file)
      .map(async ({ program, path }): Promise<ImportFile | undefined> => {
        const found = await serversAt(path);
        return found && { program, path, ...found };
      }),
  );
  return files.filter((file) => file !== undefined);
}

async function serversAt(path: string): Promise<Pick<ImportFile, "servers" | "problems"> | undefined> {
  try {
    const about = await stat(path);
    // A pipe would block, a device never ends.
    if (!about.isFile() || about.size > MAX_SIZE) return undefined;
    const { servers, problems } = findServers(await readFile(path, "utf8"));
    const hasSyntaxError = problems.length > 0 && !/no server here/.test(problems[0]?.message ?? "");
    if (servers.length === 0 && !hasSyntaxError) return undefined;
    return { servers: servers.map(({ entry: _, ...server }) => server), problems };
  } catch (error) {
    if (Object(error).code === "ENOENT" || Object(error).code === "ENOTDIR") return undefined;
    const message = error instanceof Error ? error.message : String(error);
    return { servers: [], problems: [{ line: 1, message }] };
  }
}
