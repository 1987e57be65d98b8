/** Builds the site, or with the argument `dev` serves it and follows changes of `docs`. */
import { cpSync, existsSync, watch } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, createServer } from "vitepress";
import { publicModules, repositoryOf } from "./packages.mjs";
import { writePage, writePages } from "./pages.mjs";
import { writeReference } from "./reference.mjs";

const site = fileURLToPath(new URL(".", import.meta.url));
const root = join(site, "..");
const pages = {
  docs: join(root, "docs"),
  out: join(site, "pages"),
  home: join(site, "home.md"),
  repository: repositoryOf(root),
};

writePages(pages);
// VitePress serves the files of this folder as they are.
cpSync(join(root, "packages/workbench/public/icon.svg"), join(pages.out, "public/icon.svg"));
await writeReference({
  modules: publicModules(root),
  out: join(pages.out, "reference"),
  tsconfig: join(site, "tsconfig.json"),
});

if (process.argv.includes("dev")) {
  const server = await createServer(site);
  await server.listen();
  server.printUrls();
  watch(pages.docs, { recursive: true }, (_event, path) => {
    if (path && existsSync(join(pages.docs, path))) writePage({ ...pages, path });
  });
} else {
  await build(site);
}
