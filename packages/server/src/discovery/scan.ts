/**
 * Scans `tools/` and `ui/` for everything that a server can offer.
 *
 * @module
 */
import { join } from "node:path";
import { placeOf } from "../addresses.js";
import type { AnyTool } from "../tool.js";
import type { ViewDefinition } from "../view.js";
import { foldersIn, markOf } from "./folders.js";
import { explicitOf, link, unlinked } from "./link.js";
import { type DiscoveryProblem, lineOf, problemFrom } from "./problem.js";
import { readTool } from "./read-tool.js";
import { exists, isUi, readUi } from "./read-ui.js";
import { Remembered } from "./remembered.js";
import type { Templates } from "./ui-meta.js";

/** Options of {@link Scan}. */
export interface ScanOptions {
  readonly root: string;
  /** The server's name, part of every address. */
  readonly name: string;
  readonly toolsFolder: string;
  readonly uiFolder: string;
  /** Defined in code: they win over folders. */
  readonly tools: readonly AnyTool[];
  readonly views: readonly ViewDefinition[];
  readonly templates: Templates;
  readonly limit: number;
}

/** Result of a scan. */
export interface ScanResult {
  readonly tools: readonly AnyTool[];
  readonly views: readonly ViewDefinition[];
  readonly problems: readonly DiscoveryProblem[];
}

/** A folder with a view. */
interface UiFolder {
  readonly name: string;
  readonly folder: string;
}

/** Scans repeatedly: unchanged folders are not read again, and broken ones keep their last good value. */
export class Scan {
  readonly #options: ScanOptions;
  readonly #tools = new Remembered<AnyTool>();
  readonly #views = new Remembered<ViewDefinition>();
  readonly #linked = new WeakMap<AnyTool, { view: ViewDefinition | undefined; tool: AnyTool }>();

  constructor(options: ScanOptions) {
    this.#options = options;
  }

  async look(): Promise<ScanResult> {
    const { root, toolsFolder, uiFolder } = this.#options;
    const problems: DiscoveryProblem[] = [];
    const inTools = await foldersIn(root, toolsFolder);
    const inUi = await foldersIn(root, uiFolder);
    problems.push(...inTools.problems, ...inUi.problems);
    if (!(await exists(join(root, toolsFolder))) && !(await exists(join(root, uiFolder)))) {
      const message = `nothing found: create a folder ${toolsFolder} or ${uiFolder}`;
      problems.push({ file: ".", code: "tool-missing", message });
    }
    const found = await this.#readTools(inTools.names, problems);
    const folders = await this.#uiFolders(inTools.names, inUi.names);
    const { views, broken } = await this.#readViews(folders, found, problems);
    return { ...this.#offer(found, views, broken, problems), problems };
  }

  /** Views in tool folders come first; a standalone view with the same name is ignored. */
  async #uiFolders(tools: readonly string[], alone: readonly string[]): Promise<UiFolder[]> {
    const { root, toolsFolder, uiFolder } = this.#options;
    const all = [
      ...tools.map((name) => ({ name, folder: `${toolsFolder}/${name}/ui` })),
      ...alone.map((name) => ({ name, folder: `${uiFolder}/${name}` })),
    ];
    const byName = new Map<string, UiFolder>();
    for (const each of all) {
      if (!byName.has(each.name) && (await isUi(join(root, each.folder)))) byName.set(each.name, each);
    }
    return [...byName.values()];
  }

  /** Tools by folder name, without their views. */
  async #readTools(names: readonly string[], problems: DiscoveryProblem[]): Promise<Map<string, AnyTool>> {
    const { root, toolsFolder, tools } = this.#options;
    const found = new Map<string, AnyTool>();
    const views = [...this.#options.views, ...tools.flatMap(({ view }) => view ?? [])];
    const taken = new Set(tools.map(({ name }) => name));
    const folders = names.map((name) => ({ name, folder: `${toolsFolder}/${name}` }));
    for (const { name, folder } of folders) {
      const mark = await markOf(join(root, folder), "ui");
      const { value: tool, problem } = await this.#tools.read(folder, mark, () =>
        readTool(root, folder, name),
      );
      if (problem) problems.push(problem);
      if (!tool) continue;
      if (taken.has(tool.name)) problems.push(takenProblem(folder, "tool", `name ${tool.name}`));
      else found.set(name, this.#withOwnView(tool, folder, views, problems));
      taken.add(tool.name);
    }
    this.#tools.keepOnly(new Set(folders.map(({ folder }) => folder)));
    return found;
  }

  /**
   * Keeps the view that a tool's module defines, unless another view has its name or address. That problem
   * concerns only this tool.
   */
  #withOwnView(
    tool: AnyTool,
    folder: string,
    known: ViewDefinition[],
    problems: DiscoveryProblem[],
  ): AnyTool {
    const { view } = tool;
    if (!view || known.includes(view)) return tool;
    const what = takenOf(view, known);
    if (what === undefined) {
      known.push(view);
      return tool;
    }
    problems.push(takenProblem(folder, "view", what));
    return this.#link(tool, { ...tool, view: undefined });
  }

  /** Views by folder name, and the problems of those that cannot be shown. */
  async #readViews(
    folders: readonly UiFolder[],
    tools: ReadonlyMap<string, AnyTool>,
    problems: DiscoveryProblem[],
  ): Promise<{ views: Map<string, ViewDefinition>; broken: Map<string, DiscoveryProblem> }> {
    const { root, name: server, templates, limit, views, tools: own } = this.#options;
    const inCode = [...views, ...[...own, ...tools.values()].flatMap(({ view }) => view ?? [])];
    const found = new Map<string, ViewDefinition>();
    const broken = new Map<string, DiscoveryProblem>();
    for (const { name, folder } of folders) {
      const uri = `ui://${placeOf(server)}/${name}`;
      const mark = await markOf(join(root, folder));
      const { value: view, problem } = await this.#views.read(folder, mark, () =>
        readUi({ root, folder, name, uri, templates, limit }),
      );
      if (problem) problems.push(problem);
      if (!view && problem) broken.set(name, problem);
      if (!view) continue;
      const what = takenOf(view, inCode);
      if (what !== undefined) problems.push(takenProblem(folder, "view", what));
      else found.set(name, view);
    }
    this.#views.keepOnly(new Set(folders.map(({ folder }) => folder)));
    return { views: found, broken };
  }

  #offer(
    tools: ReadonlyMap<string, AnyTool>,
    views: ReadonlyMap<string, ViewDefinition>,
    broken: ReadonlyMap<string, DiscoveryProblem>,
    problems: DiscoveryProblem[],
  ): Pick<ScanResult, "tools" | "views"> {
    const all = [...this.#options.views, ...views.values()];
    const place = `ui://${placeOf(this.#options.name)}/`;
    // A view whose address changes with its document can also be found by name.
    const byAddress = new Map(all.map((view) => [view.uri ?? `${place}${view.name}`, view]));
    const linked = [...tools].map(([name, tool]) => {
      const { resourceUri } = explicitOf(tool);
      if (resourceUri?.startsWith(place) && !byAddress.has(resourceUri) && !tool.view) {
        const error = new Error(`${tool.name} refers to the view ${resourceUri}, which does not exist`);
        const problem: DiscoveryProblem = {
          ...problemFrom(error, `${this.#options.toolsFolder}/${name}`),
          code: "view-missing",
        };
        problems.push(problem);
        return this.#link(tool, { ...unlinked(tool), viewProblem: lineOf(problem) });
      }
      const linked = link(tool, views.get(name), byAddress);
      const problem = resourceUri === undefined && !linked.view ? broken.get(name) : undefined;
      return this.#link(tool, problem ? { ...linked, viewProblem: lineOf(problem) } : linked);
    });
    return { tools: [...this.#options.tools, ...linked], views: all };
  }

  /** Returns the same object for the same tool and view, so that a comparison finds only real changes. */
  #link(tool: AnyTool, linked: AnyTool): AnyTool {
    const known = this.#linked.get(tool);
    if (known && known.view === linked.view && known.tool.viewProblem === linked.viewProblem)
      return known.tool;
    this.#linked.set(tool, { view: linked.view, tool: linked });
    return linked;
  }
}

/** The name or address of a view that another one already has. */
function takenOf({ name, uri }: ViewDefinition, known: readonly ViewDefinition[]): string | undefined {
  if (known.some((each) => each.name === name)) return `name ${name}`;
  return uri !== undefined && known.some((each) => each.uri === uri) ? `address ${uri}` : undefined;
}

const takenProblem = (folder: string, what: string, taken: string): DiscoveryProblem => ({
  file: folder,
  code: "name-taken",
  message: `another ${what} has the ${taken} and is used: rename one of them`,
});
