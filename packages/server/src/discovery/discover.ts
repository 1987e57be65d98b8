/**
 * A server made of folders: `tools/<name>/` with its `ui/`, and `ui/<name>/`.
 *
 * @module
 */
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type PathWatch, watchPaths } from "@vitrine/servers/support";
import { AppServer, type AppServerOptions, isFollowed } from "../app-server.js";
import { MAX_BYTES } from "../check-document.js";
import { DefinitionError } from "../errors.js";
import { type RunningServer, type ServeOptions, serve } from "../serve.js";
import type { AnyTemplate } from "../templates/template.js";
import type { AnyTool } from "../tool.js";
import { type DiscoveryProblem, lineOf, problemFrom } from "./problem.js";
import { TOOL_FILES } from "./read-tool.js";
import { Scan, type ScanResult } from "./scan.js";

/** Options of {@link discover}, in addition to those of a server. */
export interface DiscoverOptions
  extends Omit<AppServerOptions<readonly AnyTool[]>, "tools" | "views" | "reloads"> {
  /** The folder that contains `tools` and `ui`. */
  readonly root: string | URL;
  /** Tools and views defined in code. They win over folders with the same name. */
  readonly tools?: readonly AnyTool[] | undefined;
  readonly views?: AppServerOptions<readonly AnyTool[]>["views"];
  /** Additional templates for `ui.meta.json`. */
  readonly templates?: readonly AnyTemplate[] | undefined;
  /** Names of the two folders in the root. */
  readonly toolsFolder?: string | undefined;
  readonly uiFolder?: string | undefined;
  /**
   * Whether to watch the folders and notify clients of changes. For development; on by default if `vitrine
   * dev` started this process.
   */
  readonly watch?: boolean | undefined;
}

/**
 * Finds tools and views in folders, and makes a server of them.
 *
 * @example
 * ```ts source="../server.examples.ts#discover"
 * const found = await discover({
 *   root: new URL(".", import.meta.url),
 *   name: "weather",
 *   version: "1.0.0",
 * });
 * await found.serve();
 * ```
 *
 * @throws {DefinitionError} `view-missing` when there is no such folder; what is wrong inside of it is in `problems`
 */
export async function discover(options: DiscoverOptions): Promise<Discovered> {
  const {
    root,
    templates = [],
    toolsFolder = "tools",
    uiFolder = "ui",
    watch = isFollowed(),
    ...rest
  } = options;
  const path = typeof root === "string" ? root : fileURLToPath(root);
  const real = await realpath(path).catch((cause: unknown) => {
    throw new DefinitionError("view-missing", `there is no folder ${path}`, { cause });
  });
  const { TEMPLATES } = await import("../templates.js");
  const scan = new Scan({
    root: real,
    name: rest.name,
    toolsFolder,
    uiFolder,
    tools: rest.tools ?? [],
    views: rest.views ?? [],
    templates: { ...TEMPLATES, ...Object.fromEntries(templates.map((each) => [each.name, each])) },
    limit: rest.maxViewBytes ?? MAX_BYTES,
  });
  const found = await scan.look();
  const { tools, views } = found;
  const discovered = new Discovered(new AppServer({ ...rest, tools, views, reloads: watch }), scan, found);
  if (watch) await discovered.follow(real, toolsFolder, uiFolder);
  return discovered;
}

/** A server made of folders. */
export class Discovered {
  readonly server: AppServer;
  readonly #scan: Scan;
  #found: ScanResult;
  #watching: PathWatch | undefined;
  #tell: ((problem: DiscoveryProblem) => void) | undefined;
  #told = new Set<string>();
  #reloading: Promise<void> = Promise.resolve();

  constructor(server: AppServer, scan: Scan, found: ScanResult) {
    this.server = server;
    this.#scan = scan;
    this.#found = found;
  }

  /** Problems of folders that are not offered, or only in their last good version. */
  get problems(): readonly DiscoveryProblem[] {
    return this.#found.problems;
  }

  /** Scans again. If folders are watched, clients are notified of changes. */
  reload(): Promise<void> {
    // Serialized, so that clients end with the last scan.
    const done = this.#reloading.then(() => this.#reload());
    this.#reloading = done.catch(() => undefined);
    return done;
  }

  async #reload(): Promise<void> {
    const before = this.#found;
    const found = await this.#scan.look();
    if (!isSame(before.tools, found.tools) || !isSame(before.views, found.views))
      await this.server.replace({ tools: found.tools, views: found.views });
    this.#found = found;
    this.#tellAll();
  }

  /**
   * Serves by stdio, or by HTTP with `--http` on the command line. Writes problems to standard error, one per
   * line.
   *
   * @example
   * ```ts source="../server.examples.ts#discover"
   * const found = await discover({
   *   root: new URL(".", import.meta.url),
   *   name: "weather",
   *   version: "1.0.0",
   * });
   * await found.serve();
   * ```
   */
  async serve(options?: ServeOptions): Promise<RunningServer> {
    this.#tell = (problem) => void process.stderr.write(`${lineOf(problem)}\n`);
    this.#tellAll();
    const serving = await serve(this.server, options);
    return {
      url: serving.url,
      close: async () => {
        await this.close();
        await serving.close();
      },
    };
  }

  /** Starts to watch. */
  async follow(root: string, toolsFolder: string, uiFolder: string): Promise<void> {
    const failed = (error: unknown): void => {
      const problem: DiscoveryProblem = { ...problemFrom(error, "."), code: "watch-failed" };
      this.#found = { ...this.#found, problems: [...this.#found.problems, problem] };
      this.#tellAll();
    };
    const folders = [toolsFolder, uiFolder].map((name) => join(root, name));
    this.#watching = await watchPaths(folders, { changed: () => this.reload(), failed });
    // Excludes a tool's imports: Node caches those.
    for (const file of [...TOOL_FILES, "ui"]) this.server.followed.add(join(root, toolsFolder, "*", file));
    this.server.followed.add(join(root, uiFolder, "*"));
    // Scan again for changes since the first scan.
    await this.reload();
  }

  /** Stops watching. */
  async close(): Promise<void> {
    await this.#watching?.close();
  }

  /** Reports each problem once, until it is fixed. */
  #tellAll(): void {
    if (!this.#tell) return;
    const before = this.#told;
    this.#told = new Set(this.problems.map(lineOf));
    for (const problem of this.problems) if (!before.has(lineOf(problem))) this.#tell(problem);
  }
}

const isSame = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((each, at) => each === other[at]);
