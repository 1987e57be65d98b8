/**
 * Builds the demo servers of the command from `examples/demos`: each program as one file, and beside it the
 * folder with its pages. The packages that a program imports stay dependencies of the command; the view runtime
 * is part of the pages.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const source = here("../../examples/demos/");
const target = here("dist/demos/");

const namesIn = (folder, extension) =>
  readdirSync(join(source, folder)).filter((name) => extname(name) === extension);

const programs = namesIn(".", ".ts").filter((name) => name !== "page.ts" && !name.endsWith(".test.ts"));
const names = programs.map((name) => name.replace(".ts", ""));
const pages = names.flatMap((name) => namesIn(`${name}/view`, ".html").map((page) => `${name}/view/${page}`));
const styles = names.map((name) => `${name}/view/view.css`);
/** A page and its script have the same name. A page without a script has no runtime. */
const scripts = pages
  .filter((page) => readFileSync(join(source, page), "utf8").includes("<script type="))
  .map((page) => page.replace(".html", ".ts"));

const bundled = async (entries, options) => {
  const { outputFiles } = await build({
    entryPoints: entries.map((path) => join(source, path)),
    outbase: source,
    outdir: target,
    bundle: true,
    format: "esm",
    write: false,
    ...options,
  });
  return outputFiles.map(({ path, contents }) => [path, contents]);
};

const files = new Map([
  ...(await bundled(programs, { platform: "node", target: "node20.19", packages: "external" })),
  // The target keeps `light-dark()`: it follows the view's `color-scheme`.
  ...(await bundled([...scripts, ...styles], { minify: true, target: ["es2022", "chrome123"] })),
  ...pages.map((page) => [join(target, page), readFileSync(join(source, page))]),
]);
for (const [path, contents] of files) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, contents);
}
// Files of an earlier build would go into the tarball.
for (const entry of readdirSync(target, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  if (entry.isFile() && !files.has(path)) rmSync(path);
}
