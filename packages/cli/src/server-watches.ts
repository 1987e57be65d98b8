/**
 * Restarts servers when their source changes.
 *
 * @module
 */
import { relative } from "node:path";
import type { RunningGateway } from "@vitrine/gateway";
import type { ServerSettings } from "@vitrine/servers";
import { type PathWatch, watchPaths } from "@vitrine/servers/support";
import { isFile } from "./folder-server.js";
import { isSource, type ServerSource, sourceOf } from "./server-files.js";

/** Maximum number of watched folders of a server. */
const MAX_FOLDERS = 1_000;
/** Milliseconds without changes before a restart, because builds write many files. */
const QUIET = 200;

/** Options of {@link ServerWatches}. */
export interface ServerWatchesOptions {
  readonly gateway: Pick<RunningGateway, "restart">;
  /** The user's working folder. */
  readonly cwd: string;
  /** Called before a restart, with the changed file. */
  readonly onrestart: (server: string, file: string) => void;
  readonly onerror: (server: string, error: unknown) => void;
  /** Whether a server handles a change of this file itself. */
  readonly isFollowed?: ((server: string, file: string) => boolean) | undefined;
}

/** The watches of all running servers. */
export class ServerWatches {
  readonly #options: ServerWatchesOptions;
  readonly #watches = new Map<string, ServerSource & { readonly watch: Promise<PathWatch> }>();

  constructor(options: ServerWatchesOptions) {
    this.#options = options;
  }

  /** Watches exactly these servers. Resolves when the watches are active. */
  async update(servers: Iterable<ServerSettings>): Promise<void> {
    const wanted = new Map<string, ServerSource>();
    for (const server of servers) {
      const source = await sourceOf(server, this.#options.cwd);
      if (source) wanted.set(server.name, source);
    }
    for (const [name, { folder, script }] of this.#watches) {
      const source = wanted.get(name);
      if (source?.folder !== folder || source.script !== script) this.#end(name);
    }
    for (const [name, source] of wanted) {
      if (!this.#watches.has(name)) this.#watches.set(name, { ...source, watch: this.#begin(name, source) });
    }
    await Promise.all([...this.#watches.values()].map(({ watch }) => watch));
  }

  close(): void {
    for (const name of [...this.#watches.keys()]) this.#end(name);
  }

  #begin(name: string, { folder, script }: ServerSource): Promise<PathWatch> {
    const { gateway, cwd, onrestart, onerror, isFollowed } = this.#options;
    // Restarts are serialized.
    let work = Promise.resolve();
    const restart = (file: string): void => {
      work = work
        .then(async () => {
          // A build in progress: the script's own change will follow.
          if (!(await isFile(script))) return;
          onrestart(name, relative(cwd, file));
          await gateway.restart(name);
        })
        .catch((error: unknown) => onerror(name, error));
    };
    return watchPaths([folder], {
      changed: restart,
      counts: (file) => isSource(file) && !isFollowed?.(name, file),
      quiet: QUIET,
      maxFolders: MAX_FOLDERS,
    });
  }

  #end(name: string): void {
    void this.#watches.get(name)?.watch.then((watch) => watch.close());
    this.#watches.delete(name);
  }
}
