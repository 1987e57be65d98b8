/**
 * The page that people open.
 *
 * @module
 */
import { join, resolve } from "node:path";
import { workbenchFolder } from "@vitrine/workbench";
import { CliError } from "./exit.js";
import { isFile } from "./folder-server.js";

/**
 * The folder that is served: the workbench, or a page of the person's own.
 *
 * @throws {CliError} `page-missing`
 */
export async function pageFolder(own: string | undefined): Promise<string> {
  const folder = own === undefined ? workbenchFolder : resolve(own);
  if (await isFile(join(folder, "index.html"))) return folder;
  throw new CliError(
    "page-missing",
    own === undefined
      ? `the workbench is not built: ${folder} has no index.html; run npm run build, or install vitrine anew`
      : `--static ${own}: there is no index.html in that folder`,
  );
}
