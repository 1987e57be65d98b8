/**
 * Adds tools and views to a project made of folders (docs/discovery.md).
 *
 * @module
 */
import { join } from "node:path";
import { CliError, usage } from "../exit.js";
import { isFile, isFolder } from "../folder-server.js";
import { checkFolderName, titleOf } from "./names.js";
import { oneOf } from "./one-of.js";
import { type Files, namesIn, RUNTIME, readParts, readRuntime } from "./template-files.js";
import { writeFolder } from "./write-folder.js";

/** The starter with a custom page, not a template of `@vitrine/server`. */
const PAGE = "page";
const TOOL_FILES = ["tool.js", "tool.mjs", "tool.ts", "tool.json"];
/** Path to the schema for editors, relative to `tools/<name>/ui`. */
const SCHEMA = "../../../node_modules/";

/** An added folder. */
export interface Added {
  /** Relative to the project. */
  readonly folder: string;
  /** Relative to the folder. */
  readonly files: readonly string[];
}

/** The view of a new tool: a page (`true`), or a template. */
export type UiChoice = boolean | string | undefined;

/**
 * Adds `tools/<name>`.
 *
 * @throws {CliError} `usage`, `project-missing`, `exists`, `system`
 */
export async function addTool(project: string, name: string, ui: UiChoice): Promise<Added> {
  checkFolderName(name, "a tool");
  const starter = await starterOf(typeof ui === "string" ? ui : PAGE);
  await checkProject(project);
  const files = await readStarter(starter, name, titleOf(name));
  if (ui === undefined || ui === false) for (const path of uiFiles(files)) files.delete(path);
  return write(project, `tools/${name}`, files);
}

/** Options of {@link addUi}. */
export interface UiOptions {
  /** The tool that the view belongs to. */
  readonly tool?: string | undefined;
  /** A template of `@vitrine/server`; a custom page by default. */
  readonly template?: string | undefined;
}

/**
 * Adds `ui/<name>`, or the view of a tool with the display name `name`.
 *
 * @throws {CliError} `usage`, `project-missing`, `tool-unknown`, `exists`, `system`
 */
export async function addUi(
  project: string,
  name: string | undefined,
  { tool, template }: UiOptions,
): Promise<Added> {
  const folder = tool ?? name;
  if (folder === undefined)
    throw usage("new ui: give the name of the view, or with --tool the tool it belongs to");
  checkFolderName(folder, tool === undefined ? "a view" : "a tool");
  const starter = await starterOf(template ?? PAGE);
  await checkProject(project);
  if (tool !== undefined) await checkTool(project, tool);
  const all = await readStarter(
    starter,
    folder,
    tool === undefined ? titleOf(folder) : (name ?? titleOf(tool)),
  );
  const files: Files = new Map();
  for (const path of uiFiles(all)) {
    const text = String(all.get(path) ?? "");
    // The path is one folder shorter.
    files.set(path.slice("ui/".length), tool === undefined ? text.replace(SCHEMA, SCHEMA.slice(3)) : text);
  }
  return write(project, tool === undefined ? `ui/${folder}` : `tools/${tool}/ui`, files);
}

async function write(project: string, folder: string, files: Files): Promise<Added> {
  // Written outside `tools` and `ui`: a server that watches them would see the temporary folder.
  await writeFolder(join(project, ...folder.split("/")), files, project);
  return { folder, files: [...files.keys()] };
}

const uiFiles = (files: Files): string[] => [...files.keys()].filter((path) => path.startsWith("ui/"));

async function starterOf(name: string): Promise<string> {
  const all = await namesIn("tools");
  if (name === PAGE) return name;
  return oneOf(
    name,
    all.filter((each) => each !== PAGE),
    "template",
  );
}

async function readStarter(starter: string, name: string, title: string): Promise<Files> {
  const files = await readParts(
    [{ from: `tools/${starter}` }],
    [
      ["my-tool", name],
      ["My tool", title],
    ],
  );
  if (starter === PAGE) files.set(`ui/${RUNTIME}`, await readRuntime());
  return files;
}

/** Checks that the project has folders for tools or views. */
async function checkProject(project: string): Promise<void> {
  if ((await isFolder(join(project, "tools"))) || (await isFolder(join(project, "ui")))) return;
  throw new CliError(
    "project-missing",
    `${project} is not a project made of folders: it has neither tools nor ui. Go to one, or create one with vitrine new my-app --template discovery; in other projects, add tools in code (app.js in projects of vitrine new)`,
  );
}

async function checkTool(project: string, tool: string): Promise<void> {
  for (const file of TOOL_FILES) if (await isFile(join(project, "tools", tool, file))) return;
  throw new CliError(
    "tool-unknown",
    `there is no tool in tools/${tool}: create it with vitrine new tool ${tool} --ui, or omit --tool for a standalone view`,
  );
}
