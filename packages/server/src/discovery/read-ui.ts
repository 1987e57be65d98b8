/**
 * Reads a folder as a view: a document, or a template with its configuration.
 *
 * @module
 */
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { adviseIn } from "../advice.js";
import { DefinitionError } from "../errors.js";
import { inlineFolder } from "../inline-folder.js";
import { pathInside } from "../read-document.js";
import { type ViewDefinition, view } from "../view.js";
import { FileError, inFile } from "./problem.js";
import { type JsonFile, readJsonFile } from "./read-json.js";
import { readUiMeta, type Templates, type UiMeta } from "./ui-meta.js";

/** Files that make a folder a view. */
export const UI_META = "ui.meta.json";
export const UI_DOCUMENT = "index.html";

/** Whether a path exists, of any file type. */
export const exists = async (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

/** Whether a folder contains a view. */
export const isUi = async (folder: string): Promise<boolean> =>
  (await exists(join(folder, UI_META))) || (await exists(join(folder, UI_DOCUMENT)));

/** Input of {@link readUi}. */
export interface UiPlace {
  /** The root folder. */
  readonly root: string;
  /** The view's folder, relative to the root. */
  readonly folder: string;
  readonly name: string;
  readonly uri: string;
  readonly templates: Templates;
  /** Maximum bytes of a document. */
  readonly limit: number;
}

/**
 * Reads a view with its document, so that a problem in it concerns only this view, not the server.
 *
 * @throws {DefinitionError}
 */
export async function readUi(place: UiPlace): Promise<ViewDefinition> {
  const { root, folder, name, uri, templates } = place;
  const path = await pathInside(root, folder);
  const file = (await exists(join(path, UI_META)))
    ? await readJsonFile(root, `${folder}/${UI_META}`)
    : undefined;
  const said: UiMeta = file ? readUiMeta(file, templates) : {};
  const { csp, permissions, prefersBorder = true, domain } = said.meta ?? {};
  const { name: title, description = `UI resource for ${name}` } = said;
  const details = { name, uri, title, description, csp, permissions, prefersBorder, domain };
  const html = await documentOf(place, said, path, file);
  if (html !== undefined)
    return adviseIn(
      viewOf(file, () => view({ ...details, html })),
      `${folder}/${UI_META}`,
    );
  const template = said.template === undefined ? undefined : templates[said.template];
  if (template)
    return viewOf(file, () => view({ ...details, template, config: (said.config ?? {}) as never }));
  throw new FileError("view-missing", `there is neither a document nor a template: add ${UI_DOCUMENT}`, {
    file: `${folder}/${UI_META}`,
  });
}

/** Reports metadata that hosts would not understand as an error of the file. */
function viewOf(file: JsonFile | undefined, make: () => ViewDefinition): ViewDefinition {
  try {
    return make();
  } catch (cause) {
    if (file && cause instanceof DefinitionError)
      throw file.error(cause.code, `it.meta: ${cause.message}`, cause);
    throw cause;
  }
}

/** The document, which wins over a template; undefined if there is none and none is named. */
async function documentOf(
  { folder, limit }: UiPlace,
  { entrypoint }: UiMeta,
  path: string,
  file: JsonFile | undefined,
): Promise<string | undefined> {
  const entry = entrypoint ?? UI_DOCUMENT;
  if (entrypoint === undefined && !(await exists(join(path, entry)))) return undefined;
  if (entrypoint !== undefined && file) {
    await pathInside(path, entrypoint).catch((cause: unknown) => {
      if (!(cause instanceof DefinitionError)) throw cause;
      throw file.error(cause.code, `it.entrypoint: ${cause.message}`, cause);
    });
  }
  return inFile(`${folder}/${entry}`, () => inlineFolder(path, entry, limit));
}
