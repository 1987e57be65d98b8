/**
 * Watches the files of a server's views during development, so that saved changes show immediately.
 *
 * @module
 */
import { watchPaths } from "@vitrine/servers/support";
import type { AppServer } from "./app-server.js";
import { DefinitionError } from "./errors.js";
import type { AnyTool } from "./tool.js";
import { placeOfFiles } from "./view-files.js";

/** A running watch. The declarations must not name the bundled package that implements it. */
interface ViewsWatch {
  close(): Promise<void>;
}

/** Watches until it is closed. Problems go to standard error, and the last good version stays. */
export async function followViews(server: AppServer<readonly AnyTool[]>): Promise<ViewsWatch> {
  const paths = new Set([...server.views.values()].flatMap((view) => placeOfFiles(view) ?? []));
  const changed = (): Promise<void> => server.refresh();
  const all = await Promise.all(
    [...paths].map(async (path) => {
      let isWatched = true;
      const failed = (error: unknown): void => {
        isWatched = false;
        tell(error);
      };
      const watching = await watchPaths([path], { changed, failed });
      // Views that cannot be watched here are left to the parent process.
      if (isWatched) server.followed.add(path);
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
