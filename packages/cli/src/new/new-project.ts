/**
 * Creates a project: a server with a tool, its view, a test, and everything it needs to run and be checked.
 *
 * @module
 */
import { join } from "node:path";
import { checkProjectName } from "./names.js";
import { oneOf } from "./one-of.js";
import { addOwnPackages, checkoutOf } from "./own-packages.js";
import { DEFAULT_TEMPLATE, PROJECT_TEMPLATES } from "./project-templates.js";
import { RUNTIME, readParts, readRuntime } from "./template-files.js";
import { refuseExisting, writeFolder } from "./write-folder.js";

/** The placeholder name in template files. */
const NAME = "my-app";

/** A created project. */
export interface MadeProject {
  /** Where it is. */
  readonly folder: string;
  readonly template: string;
  /** Description for users. */
  readonly about: string;
  readonly files: readonly string[];
}

/**
 * Creates the folder `name` in `place`.
 *
 * @throws {CliError} `usage`, `exists`, `pack-failed`, `system`
 */
export async function makeProject(place: string, name: string, asked?: string): Promise<MadeProject> {
  checkProjectName(name);
  const template = oneOf(asked ?? DEFAULT_TEMPLATE, [...PROJECT_TEMPLATES.keys()], "template");
  const { about = "", parts = [], pages = [] } = PROJECT_TEMPLATES.get(template) ?? {};
  const files = await readParts(parts, [[NAME, name]]);
  for (const page of pages) files.set(`${page}/${RUNTIME}`, await readRuntime());
  const folder = join(place, name);
  await refuseExisting(folder);
  await addOwnPackages(files, checkoutOf());
  await writeFolder(folder, files);
  return { folder, template, about, files: [...files.keys()].sort() };
}
