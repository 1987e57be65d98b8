/**
 * The page that users open.
 *
 * @module
 */
import { join, resolve } from "node:path";
import { workbenchFolder } from "@vitrine/workbench";
import { CliError } from "./exit.js";
import { isFile } from "./folder-server.js";

/**
 * The folder to serve: the workbench, or the user's own page.
 *
 * @throws {CliError} `page-missing`
 */
export async function pageFolder(own: string | undefined): Promise<string> {
  const folder = own === undefined ? workbenchFolder : resolve(own);
  if (await isFile(join(folder, "index.html"))) return folder;
  throw new CliError(
    "page-missing",
    own === undefined
      ? `the workbench is not built: ${folder} has no index.html; run npm run build, or reinstall vitrine`
      : `--static ${own}: there is no index.html in that folder`,
  );
}
