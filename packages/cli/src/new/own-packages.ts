/**
 * Where a new project finds Vitrine's packages: in the registry, in the version of this command; or, when this command runs
 * from a checkout of the repository, in that checkout.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { VERSION } from "../version.js";

const OWN = /^(?:@vitrine\/([a-z]+)|vitrine)$/;
const HERE = fileURLToPath(new URL("../..", import.meta.url)).replace(/[/\\]$/, "");

/** The folder with the packages of a checkout; undefined if `folder`, that of this package, is installed. */
export function checkoutOf(folder: string = HERE): string | undefined {
  if (folder.split(sep).includes("node_modules")) return undefined;
  const packages = dirname(folder);
  return nameIn(join(packages, "server")) === "@vitrine/server" ? packages : undefined;
}

/** The name in a folder's `package.json`; undefined if there is none. */
function nameIn(folder: string): unknown {
  try {
    return Object(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")))["name"];
  } catch {
    return undefined;
  }
}

/** A `package.json` whose dependencies on Vitrine's packages say where they are: in a checkout, or in the registry. */
export function withOwnPackages(text: string, checkout: string | undefined): string {
  const about: Record<string, unknown> = JSON.parse(text);
  for (const field of ["dependencies", "devDependencies"]) {
    const all: Record<string, string> = Object(about[field]);
    for (const name of Object.keys(all)) {
      const own = OWN.exec(name);
      if (own) all[name] = placeOf(own[1] ?? "cli", checkout);
    }
  }
  return `${JSON.stringify(about, null, 2)}\n`;
}

const placeOf = (folder: string, checkout: string | undefined): string =>
  checkout === undefined ? `^${VERSION}` : `file:${join(checkout, folder).replaceAll("\\", "/")}`;
