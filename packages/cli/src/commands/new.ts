/**
 * `vitrine new`: creates a project, or adds a tool or view to a project made of folders.
 *
 * @module
 */
import { surroundings } from "../config-places.js";
import { usage } from "../exit.js";
import { type Added, addTool, addUi, type UiChoice, type UiOptions } from "../new/folder-project.js";
import { makeProject } from "../new/new-project.js";
import { checkoutOf } from "../new/own-packages.js";
import { PROJECT_TEMPLATES } from "../new/project-templates.js";
import type { Terminal } from "../terminal.js";

/** Options of {@link newCommand}. */
export interface NewOptions {
  readonly template?: string | undefined;
  readonly json?: boolean | undefined;
}

/** Creates a project in the current folder. Resolves to the exit code. */
export async function newCommand(name: string, options: NewOptions, terminal: Terminal): Promise<number> {
  const made = await makeProject(surroundings().cwd, name, options.template);
  if (options.json) {
    const { folder, template, files } = made;
    terminal.json({ folder, template, files });
    return 0;
  }
  terminal.print(`Created ${terminal.bold(name)}: ${made.about}. Next:

  cd ${name}
  npm install
  npm start
`);
  if (options.template === undefined) {
    const others = [...PROJECT_TEMPLATES.keys()].filter((each) => each !== made.template);
    terminal.note(terminal.dim(`other templates: --template ${others.join(", ")}`, "err"));
  }
  if (checkoutOf() !== undefined)
    terminal.note(
      terminal.dim("Vitrine's packages are in vendor, packed from this checkout: see README.md", "err"),
    );
  return 0;
}

/** Options of {@link newToolCommand}. */
export interface NewToolOptions {
  readonly ui?: UiChoice;
  /** Inherited from `new` and `new ui`; for a tool the option is `--ui`. */
  readonly template?: string | undefined;
  readonly json?: boolean | undefined;
}

/** Adds a tool. Resolves to the exit code. */
export async function newToolCommand(
  name: string,
  { ui, template, json }: NewToolOptions,
  terminal: Terminal,
): Promise<number> {
  if (template !== undefined) throw usage(`new tool has no --template: use --ui ${template}`);
  return tell(await addTool(surroundings().cwd, name, ui), json, terminal);
}

/** Options of {@link newUiCommand}. */
export interface NewUiOptions extends UiOptions {
  readonly json?: boolean | undefined;
}

/** Adds a view. Resolves to the exit code. */
export async function newUiCommand(
  name: string | undefined,
  { json, ...options }: NewUiOptions,
  terminal: Terminal,
): Promise<number> {
  return tell(await addUi(surroundings().cwd, name, options), json, terminal);
}

function tell({ folder, files }: Added, json: boolean | undefined, terminal: Terminal): number {
  if (json) terminal.json({ folder, files });
  else terminal.print(files.map((file) => `${folder}/${file}`).join("\n"));
  return 0;
}
