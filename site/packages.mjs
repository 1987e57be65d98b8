/** What the packages of this repository let others import. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Modules that are public for technical reasons, and meant for our own packages. */
const INTERNAL = ["@vitrine/servers/support"];

/** The modules that can be imported, such as `@vitrine/host/react`, with the declarations that were built for each. */
export function publicModules(root) {
  const folder = join(root, "packages");
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => existsSync(join(path, "package.json")))
    .flatMap((path) => {
      const {
        name,
        description,
        exports = {},
      } = JSON.parse(readFileSync(join(path, "package.json"), "utf8"));
      return Object.entries(exports).flatMap(([subpath, { types }]) => {
        const specifier = name + subpath.slice(1);
        if (!types || INTERNAL.includes(specifier)) return [];
        const page = `${specifier.replace("@vitrine/", "")}.md`;
        return [
          { specifier, types: join(path, types), page, description: subpath === "." ? description : "" },
        ];
      });
    });
}

/** The address of the repository, from the root's `package.json`. */
export const repositoryOf = (root) =>
  JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    .repository.url.replace(/^git\+/, "")
    .replace(/\.git$/, "");
