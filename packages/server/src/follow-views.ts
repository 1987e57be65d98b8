/**
 * Watches the files of a server's views during development, so that saved changes show immediately.
 *
 * @module
 */
import { basename, dirname, join } from "node:path";
import type { AppServer } from "./app-server.js";
import { type Watching, watchFolders } from "./discovery/watch-folders.js";
import { DefinitionError } from "./errors.js";
import type { AnyTool } from "./tool.js";
import { placeOfFiles } from "./view-files.js";

/** Watches until it is closed. Problems go to standard error, and the last good version stays. */
export async function followViews(server: AppServer<readonly AnyTool[]>): Promise<Watching> {
  const names = new Map<string, string[]>();
  for (const view of server.views.values()) {
    const path = placeOfFiles(view);
    if (path !== undefined) names.set(dirname(path), [...(names.get(dirname(path)) ?? []), basename(path)]);
  }
  const changed = (): Promise<void> => server.refresh();
  const all = await Promise.all(
    [...names].map(async ([root, folders]) => {
      let isWatched = true;
      const failed = (error: unknown): void => {
        isWatched = false;
        tell(error);
      };
      const watching = await watchFolders({ root, folders, changed, failed });
      // Views that cannot be watched here are left to the parent process.
      if (isWatched) for (const name of folders) server.followed.add(join(root, name));
      return watching;
    }),
  );
  return {
    close: async () => void (await Promise.all(all.map((watching) => watching.close()))),
  };
}

/** Standard error, because standard output is for messages. */
function tell(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof DefinitionError ? ` (${error.code})` : "";
  process.stderr.write(`${message}${code}\n`);
}
