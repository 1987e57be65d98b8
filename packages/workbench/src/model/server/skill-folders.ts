/**
 * Folders of skills, as `resources/directory/read` lists them.
 *
 * @module
 */
import { recordOf } from "@vitrine/protocol";
import type { SkillRequest } from "./skills.js";

/** The media type of a folder. */
const FOLDER = "inode/directory";

/** Children that are read from a folder, and its pages: a list may have no end. */
const MOST_CHILDREN = 2_000;
const MOST_PAGES = 50;

/** A file or a folder in a folder. */
export interface FolderChild {
  readonly uri: string;
  readonly name: string;
  readonly isFolder: boolean;
  readonly mimeType?: string | undefined;
  /** A rule that it breaks, as a sentence. */
  readonly finding?: string | undefined;
}

/** The folder of a skill, by the address of its `SKILL.md`. */
export const folderOf = (skill: string): string => skill.replace(/\/[^/]*$/, "");

/** Lists the children of a folder, all pages. `missing` says why some may be missing. */
export async function readFolder(
  send: SkillRequest,
  uri: string,
): Promise<{ children: FolderChild[]; missing?: string | undefined }> {
  const children: FolderChild[] = [];
  let params: { uri: string; cursor?: string } = { uri };
  for (let page = 0; page < MOST_PAGES; page++) {
    const { resources, nextCursor } = recordOf(await send("resources/directory/read", params));
    if (!Array.isArray(resources))
      throw new Error("The answer to resources/directory/read has no list with the name resources.");
    children.push(...resources.slice(0, MOST_CHILDREN - children.length).map((each) => readChild(uri, each)));
    if (typeof nextCursor !== "string") return { children };
    if (children.length >= MOST_CHILDREN) break;
    params = { uri, cursor: nextCursor };
  }
  return { children, missing: `Only the first ${children.length.toLocaleString("en")} children are shown.` };
}

function readChild(folder: string, resource: unknown): FolderChild {
  const { uri: at, name, mimeType } = recordOf(resource);
  const uri = typeof at === "string" ? at : "";
  const rest = uri.startsWith(`${folder}/`) ? uri.slice(folder.length + 1) : "";
  const isChild = /^[^/]+$/.test(rest) && !/^(\.|%2e){1,2}$/i.test(rest);
  return {
    uri,
    name: typeof name === "string" && name !== "" ? name : rest || uri,
    isFolder: mimeType === FOLDER,
    mimeType: typeof mimeType === "string" ? mimeType : undefined,
    finding: isChild ? undefined : "Its address is not directly in this folder.",
  };
}
