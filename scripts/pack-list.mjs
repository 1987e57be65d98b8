/**
 * After a build: writes `dist/.npmignore` for every package, so that npm leaves out declarations that no
 * entry point reaches, and files for the compiler.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*)["'](\.[^"']+)["']/g;

/** Adds a declaration file and those that it imports. */
function follow(file, reached) {
  if (reached.has(file) || !existsSync(file)) return;
  reached.add(file);
  for (const [, name] of readFileSync(file, "utf8").matchAll(IMPORT))
    follow(join(dirname(file), name.replace(/\.js$/, ".d.ts")), reached);
}

export function writePackLists(packages) {
  for (const name of readdirSync(packages)) {
    const folder = join(packages, name);
    const dist = join(folder, "dist");
    if (!existsSync(dist)) continue;
    const { exports = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const reached = new Set();
    for (const { types } of Object.values(exports)) if (types) follow(join(folder, types), reached);
    const unreached = readdirSync(dist, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".d.ts") && !reached.has(join(dist, path)))
      .map((path) => `/${path.replaceAll("\\", "/")}`);
    writeFileSync(join(dist, ".npmignore"), ["*.tsbuildinfo", "*.map", ...unreached.sort(), ""].join("\n"));
  }
}
