import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";
import { anchorOf } from "../headings.mjs";
import { repositoryOf } from "../packages.mjs";
import { sidebar } from "../sidebar.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const repository = repositoryOf(root);

// The path under which the site is served, such as `/vitrine/`.
const base = process.env.DOCS_BASE ?? "/";

export default defineConfig({
  title: "Vitrine",
  description: "MCP Apps: the complete stack in TypeScript",
  lang: "en",
  base,
  head: [["link", { rel: "icon", type: "image/svg+xml", href: `${base}icon.svg` }]],
  srcDir: "pages",
  cleanUrls: true,
  markdown: {
    anchor: { slugify: anchorOf },
    headers: { slugify: anchorOf },
    toc: { slugify: anchorOf },
  },
  themeConfig: {
    search: { provider: "local" },
    sidebar: sidebar(root),
    outline: [2, 3],
    socialLinks: [{ icon: "github", link: repository }],
    editLink: { pattern: `${repository}/blob/main/docs/:path`, text: "Source of this page" },
  },
  transformPageData({ filePath, frontmatter }) {
    if (filePath.startsWith("reference/")) return { frontmatter: { ...frontmatter, editLink: false } };
    return { filePath: filePath.replace(/(^|\/)index\.md$/, "$1README.md") };
  },
  // The search index is one file.
  vite: { build: { chunkSizeWarningLimit: 4000 } },
});
