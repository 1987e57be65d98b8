/** Bundles the pages of the templates: one script and one style for each, minified, in a module that exports their text. */
import { readdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const source = here("src/templates/");
const names = readdirSync(source, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== "page")
  .map(({ name }) => name)
  .sort();

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

const pages = {};
for (const name of names) {
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
  pages[name] = { script, style: await styleOf(name) };
}
writeFileSync(here("dist/templates/pages-text.js"), `export const PAGES = ${JSON.stringify(pages)};\n`);
