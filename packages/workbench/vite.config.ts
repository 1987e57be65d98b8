import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";
import { writeLicenses } from "../../scripts/licenses.mjs";
import { startChunks } from "./vite.chunks.ts";
import { directImports } from "./vite.imports.ts";

const page = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Writes the licences of the libraries that are in the page. */
const licenses: Plugin = {
  name: "licenses",
  writeBundle: (_, bundle) => {
    const modules = Object.values(bundle).flatMap((file) =>
      file.type === "chunk"
        ? Object.entries(file.modules).flatMap(([id, { renderedLength }]) => (renderedLength > 0 ? [id] : []))
        : [],
    );
    writeLicenses(page("dist/licenses.txt"), modules);
  },
};

/** The page is in English: the other languages of the library's own words are left out. */
const english: Plugin = {
  name: "english",
  enforce: "pre",
  load: (id) => {
    const isForeign =
      /\/react-(aria|aria-components|stately)\/dist\/.*\/intl\/(.+\/)?[a-z]{2}-[A-Z]{2}\.mjs$/.test(id) &&
      !id.endsWith("/en-US.mjs");
    return isForeign ? "export default undefined;" : null;
  },
};

const PAGES = ["index.html", "render.html"].map(page);

/** Two pages: one for users, and one in which `vitrine render` shows an app. */
export default defineConfig({
  root: page("."),
  plugins: [english, directImports(), licenses],
  build: {
    outDir: "dist/page",
    emptyOutDir: true,
    target: "es2023",
    // The gateway's policy allows scripts and styles from its own files, and nothing inline.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // Served from this machine, and loaded once.
    chunkSizeWarningLimit: 2000,
    rollupOptions: {
      input: PAGES,
      output: { manualChunks: startChunks(PAGES) },
      onwarn: (warning, warn) => {
        // Warnings about third-party code: directives for server rendering, and misplaced annotations.
        if (!/^(MODULE_LEVEL_DIRECTIVE|INVALID_ANNOTATION)$/.test(warning.code ?? "")) warn(warning);
      },
    },
  },
});
