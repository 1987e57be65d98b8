/** The sidebar: the sections of the table of contents, and the modules of the API reference. */
import { join } from "node:path";
import { readContents } from "./contents.mjs";
import { publicModules } from "./packages.mjs";
import { API, pagePath } from "./pages.mjs";

/** The sidebar in the form that VitePress takes. */
export const sidebar = (root) =>
  readContents(join(root, "docs")).map(({ title, entries }) => ({
    text: title,
    collapsed: false,
    items: entries.map((entry) => (entry.path === API ? reference(root, entry.title) : item(entry))),
  }));

const item = ({ title, path, pages = [] }) => ({
  text: title,
  link: pages.length ? `/${path}` : linkTo(path),
  ...(pages.length > 0 && { collapsed: true, items: pages.map(item) }),
});

const reference = (root, title) => ({
  text: title,
  link: "/reference/",
  collapsed: true,
  items: publicModules(root).map(({ specifier, page }) => ({
    text: specifier,
    link: linkTo(`reference/${page}`),
  })),
});

const linkTo = (path) => `/${pagePath(path).replace(/(index)?\.md$/, "")}`;
