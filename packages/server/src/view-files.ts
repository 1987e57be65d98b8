/**
 * Reads the files of views.
 *
 * @module
 */
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { readDocument } from "./read-document.js";
import type { DocumentSource, ViewDefinition } from "./view.js";

type FileSource = Extract<DocumentSource, { file: unknown }>;
type FolderSource = Extract<DocumentSource, { folder: unknown }>;

/**
 * Returns the document in a file, or of a bundled folder.
 *
 * @throws {DefinitionError}
 */
export async function textOf(source: FileSource | FolderSource, limit: number): Promise<string> {
  if ("file" in source) return readDocument(pathOf(source.file), limit);
  const { inlineFolder } = await import("./inline-folder.js");
  return inlineFolder(pathOf(source.folder), source.entry ?? "index.html", limit);
}

/** A string that changes with the file; undefined if there is no file. */
export async function markOf({ file }: FileSource): Promise<string | undefined> {
  const found = await stat(file).catch(() => undefined);
  return found && `${found.dev} ${found.ino} ${found.size} ${found.mtimeMs}`;
}

/** The file or folder of a view; undefined if it has none. */
export function placeOfFiles({ source }: ViewDefinition): string | undefined {
  if ("file" in source) return resolve(pathOf(source.file));
  return "folder" in source ? resolve(pathOf(source.folder)) : undefined;
}

const pathOf = (place: string | URL): string => (typeof place === "string" ? place : fileURLToPath(place));
