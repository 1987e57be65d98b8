/**
 * After `tsc`: bundles the pages of the templates, one script and one style for each, as text; and the package itself into few
 * files. To find and read a hundred small modules took a server longer than all that it did afterwards until it answered.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

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
const resolved = {
  name: "resolved",
  setup: ({ onResolve }) => {
    onResolve({ filter: /^@vitrine\/protocol$/ }, ({ path, importer }) =>
      importer.startsWith(here("src/testing"))
        ? { path, external: true }
        : { path: fileURLToPath(import.meta.resolve(path)), sideEffects: false },
    );
    onResolve({ filter: /\/pages-text\.js$/ }, () => ({ path: here("dist/templates/pages-text.js") }));
  },
};

/** In place of what `tsc` wrote for the doors of the package: its other modules are behind them. */
async function writeDoors() {
  const { outputFiles } = await build({
    entryPoints: ["index", "templates", "testing"].map((name) => here(`src/${name}.ts`)),
    outdir: here("dist/"),
    chunkNames: "chunks/[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    packages: "external",
    plugins: [resolved],
    // Not named in the files: it is not in the package.
    sourcemap: "external",
    sourcesContent: false,
    write: false,
  });
  // Chunks before the doors that lead to them.
  outputFiles.sort((a, b) => Number(b.path.startsWith(chunks)) - Number(a.path.startsWith(chunks)));
  for (const { path, contents } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, contents);
  }
  // Those of an earlier build go last: somebody may be loading them.
  const written = new Set(outputFiles.map(({ path }) => path));
  for (const name of readdirSync(chunks)) if (!written.has(join(chunks, name))) rmSync(join(chunks, name));
}

await writePages();
await writeDoors();
