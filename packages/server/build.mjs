/**
 * Runs after `tsc`. Bundles the template pages (one script and one style each) as text, and the package
 * itself into a few files: finding and reading a hundred small modules took a server longer than everything
 * else before its first answer.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";
import { rollup } from "rollup";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const source = here("src/templates/");
const chunks = here("dist/chunks/");

const styleOf = async (name) => {
  const contents = ["style.css", `${name}/page.css`].map((path) => `@import "./${path}";`).join("");
  const { outputFiles } = await build({
    stdin: { contents, loader: "css", resolveDir: source },
    bundle: true,
    minify: true,
    // Keep `light-dark()`: it follows the view's `color-scheme`.
    target: "chrome123",
    write: false,
  });
  return outputFiles[0].text.trim();
};

const scriptOf = async (name) => {
  const { outputFiles } = await build({
    entryPoints: [here(`dist/templates/${name}/page.js`)],
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    write: false,
  });
  const script = outputFiles[0].text.trim();
  if (/<\/script|<!--/i.test(script))
    throw new Error(`the page of ${name} contains </script, so it cannot go inside a script element`);
  return script;
};

async function writePages() {
  const names = readdirSync(source, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "page")
    .map(({ name }) => name)
    .sort();
  const pages = {};
  for (const name of names) pages[name] = { script: await scriptOf(name), style: await styleOf(name) };
  writeFileSync(here("dist/templates/pages-text.js"), `export const PAGES = ${JSON.stringify(pages)};\n`);
}

/**
 * Bundles the parts of the protocol that are only functions: no object of theirs crosses the package
 * boundary. The testing tools share the protocol with the packages they work with. Page texts stay where they
 * were written.
 */
const sources = {
  name: "sources",
  resolveId(path, importer) {
    if (!importer) return null;
    if (path === "@vitrine/protocol" && !importer.startsWith(here("src/testing")))
      return fileURLToPath(import.meta.resolve(path));
    // Only the file watcher of it is used.
    if (path === "@vitrine/servers/support") return here("../servers/src/support/index.ts");
    if (path.endsWith("/pages-text.js")) return here("dist/templates/pages-text.js");
    if (!path.startsWith(".")) return { id: path, external: true };
    return /\/src\/.*\.ts$/.test(importer) ? join(dirname(importer), path.replace(/\.js$/, ".ts")) : null;
  },
  // JavaScript too, to drop comments. esbuild keeps those of class members; the declarations have them.
  transform: (code, id) =>
    transform(
      code.replace(/^[ \t]*\/\*\*[\s\S]*?\*\/\n/gm, (comment) => "\n".repeat(comment.split("\n").length - 1)),
      { loader: "ts", format: "esm", target: "node20.19", sourcemap: true, sourcefile: id },
    ),
};

/**
 * Output files by entry module. Each contains everything its module loads that earlier files do not have; a
 * few files load faster than many.
 */
const FILES = { index: "index.ts", "view-files": "view-files.ts", render: "templates/render.ts" };

/** All modules that a module loads before it runs. */
function loadedBy(id, getModuleInfo, known = new Set()) {
  if (known.has(id)) return known;
  known.add(id);
  for (const each of getModuleInfo(id)?.importedIds ?? []) loadedBy(each, getModuleInfo, known);
  return known;
}

/**
 * Replaces the files that `tsc` wrote for the package's entry points. All other modules are bundled behind
 * them.
 */
async function writeEntryPoints() {
  const names = ["index", "discovery", "templates", "testing"];
  const bundle = await rollup({
    input: Object.fromEntries(names.map((name) => [name, here(`src/${name}.ts`)])),
    plugins: [sources],
    treeshake: { moduleSideEffects: false },
    onwarn: ({ message }) => {
      throw new Error(message);
    },
    // The main entry point may export what the others need: a shared file would be one more file that every
    // server reads.
    preserveEntrySignatures: "allow-extension",
  });
  const { output } = await bundle.generate({
    dir: here("dist/"),
    format: "es",
    hoistTransitiveImports: false,
    // With a file from another build, loading fails. With minified names, it could silently call the wrong
    // function.
    minifyInternalExports: false,
    chunkFileNames: "chunks/[name]-[hash].js",
    // Only templates and discovery validate JSON Schema, but the protocol's index names it for everybody.
    manualChunks: (id, { getModuleInfo }) =>
      id.endsWith("/protocol/dist/json-schema.js")
        ? "render"
        : Object.keys(FILES).find((name) => loadedBy(here(`src/${FILES[name]}`), getModuleInfo).has(id)),
    // The files do not reference the source map: it is not in the package.
    sourcemap: "hidden",
    sourcemapExcludeSources: true,
  });
  await bundle.close();
  // Write chunks before the entry points that import them.
  const files = output
    .map(({ fileName, code, source }) => ({ path: here(`dist/${fileName}`), contents: code ?? source }))
    .sort((a, b) => Number(b.path.startsWith(chunks)) - Number(a.path.startsWith(chunks)));
  for (const { path, contents } of files) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, contents);
  }
  // Delete chunks of an earlier build last: a process may still be loading them.
  const written = new Set(files.map(({ path }) => path));
  for (const name of readdirSync(chunks)) if (!written.has(join(chunks, name))) rmSync(join(chunks, name));
}

await writePages();
await writeEntryPoints();
