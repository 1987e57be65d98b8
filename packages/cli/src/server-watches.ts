/**
 * Starts servers again when their source changes.
 *
 * @module
 */
import { relative } from "node:path";
import type { Gateway, ServerSettings } from "@vitrine/gateway";
import { sourceFolder } from "./server-files.js";
import { type FileWatch, watchFiles } from "./watch-files.js";

/** Options of {@link ServerWatches}. */
export interface ServerWatchesOptions {
  readonly gateway: Pick<Gateway, "restart">;
  /** Where the person is. */
  readonly cwd: string;
  /** Hears which server is started again, and why. */
  readonly onrestart: (server: string, file: string) => void;
  readonly onerror: (server: string, error: unknown) => void;
}

/** The watches of all servers that run. */
export class ServerWatches {
  readonly #options: ServerWatchesOptions;
  readonly #watches = new Map<string, { folder: string; watch: Promise<FileWatch> }>();

  constructor(options: ServerWatchesOptions) {
    this.#options = options;
  }

  /** Watches these servers, and no others. Resolves when it does. */
  async update(servers: Iterable<ServerSettings>): Promise<void> {
    const wanted = new Map<string, string>();
    for (const server of servers) {
      const folder = await sourceFolder(server, this.#options.cwd);
      if (folder !== undefined) wanted.set(server.name, folder);
    }
    for (const [name, { folder }] of this.#watches) if (wanted.get(name) !== folder) this.#end(name);
    for (const [name, folder] of wanted) {
      if (!this.#watches.has(name)) this.#watches.set(name, { folder, watch: this.#begin(name, folder) });
    }
    await Promise.all([...this.#watches.values()].map(({ watch }) => watch));
  }

  close(): void {
    for (const name of [...this.#watches.keys()]) this.#end(name);
  }

  #begin(name: string, folder: string): Promise<FileWatch> {
    const { gateway, cwd, onrestart, onerror } = this.#options;
    // One start after another, however fast the files change.
    let work = Promise.resolve();
    return watchFiles(folder, (file) => {
      work = work
        .then(() => {
          onrestart(name, relative(cwd, file));
          return gateway.restart(name);
        })
        .catch((error: unknown) => onerror(name, error));
    });
  }

  #end(name: string): void {
    void this.#watches.get(name)?.watch.then((watch) => watch.close());
    this.#watches.delete(name);
  }
}
