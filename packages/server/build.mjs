/**
 * After `tsc`: bundles the pages of the templates, one script and one style for each, as text; and the package itself into few
 * files. To find and read a hundred small modules took a server longer than all that it did afterwards until it answered.
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
    // `light-dark()` is left as it is: it follows what the view says of its theme.
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
    throw new Error(`the page of ${name} cannot stand inside a script element`);
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
 * What is needed of the protocol goes into the bundle, as functions alone: no object of it goes in or out. The tools for tests
 * share it with the packages that they work with. And the pages' text is where it was written.
 */
const sources = {
  name: "sources",
  resolveId(path, importer) {
    if (!importer) return null;
    if (path === "@vitrine/protocol" && !importer.startsWith(here("src/testing")))
      return fileURLToPath(import.meta.resolve(path));
    if (path.endsWith("/pages-text.js")) return here("dist/templates/pages-text.js");
    if (!path.startsWith(".")) return { id: path, external: true };
    return importer.startsWith(here("src/")) ? join(dirname(importer), path.replace(/\.js$/, ".ts")) : null;
  },
  // Also what is JavaScript: most comments are left out.
  transform: (code, id) =>
    transform(code, { loader: "ts", format: "esm", target: "node20.19", sourcemap: true, sourcefile: id }),
};

/** Files by the module that each is for, with all that this loads and the files before it do not have: few are found sooner than many. */
const FILES = { index: "index.ts", "view-files": "view-files.ts", render: "templates/render.ts" };

/** All that a module loads before it runs. */
function loadedBy(id, getModuleInfo, known = new Set()) {
  if (known.has(id)) return known;
  known.add(id);
  for (const each of getModuleInfo(id)?.importedIds ?? []) loadedBy(each, getModuleInfo, known);
  return known;
}

/** In place of what `tsc` wrote for the doors of the package: its other modules are behind them. */
async function writeDoors() {
  const names = ["index", "discovery", "templates", "testing"];
  const bundle = await rollup({
    input: Object.fromEntries(names.map((name) => [name, here(`src/${name}.ts`)])),
    plugins: [sources],
    treeshake: { moduleSideEffects: false },
    onwarn: ({ message }) => {
      throw new Error(message);
    },
    // The main door has what the others want of it: a file of its own for that would be one more that every server reads.
    preserveEntrySignatures: "allow-extension",
  });
  const { output } = await bundle.generate({
    dir: here("dist/"),
    format: "es",
    hoistTransitiveImports: false,
    // A file of another build fails to load, and does not call what has got the same short name since.
    minifyInternalExports: false,
    chunkFileNames: "chunks/[name]-[hash].js",
    manualChunks: (id, { getModuleInfo }) =>
      Object.keys(FILES).find((name) => loadedBy(here(`src/${FILES[name]}`), getModuleInfo).has(id)),
    // Not named in the files: it is not in the package.
    sourcemap: "hidden",
    sourcemapExcludeSources: true,
  });
  await bundle.close();
  // Chunks before the doors that lead to them.
  const files = output
    .map(({ fileName, code, source }) => ({ path: here(`dist/${fileName}`), contents: code ?? source }))
    .sort((a, b) => Number(b.path.startsWith(chunks)) - Number(a.path.startsWith(chunks)));
  for (const { path, contents } of files) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, contents);
  }
  // Those of an earlier build go last: somebody may be loading them.
  const written = new Set(files.map(({ path }) => path));
  for (const name of readdirSync(chunks)) if (!written.has(join(chunks, name))) rmSync(join(chunks, name));
}

await writePages();
await writeDoors();
