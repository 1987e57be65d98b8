/** Makes the pages of the site from the files of `docs`: the same text, with links and code fences that suit VitePress. */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { readContents } from "./contents.mjs";

/** Code is left as it is, apart from the opening line of a fence. */
const CODE = /(^[ \t]*```[\s\S]*?^[ \t]*```$|`[^`\n]+`)/m;
/** The link of the table of contents that leads to the API reference. In the repository it leads to the API reports. */
export const API = "../api/";
const LINK = /\]\(([^)\s]+)\)/g;

/** Writes all pages into `out`. `repository` is the address of files that the site does not have. */
export function writePages({ docs, out, home, repository }) {
  rmSync(out, { recursive: true, force: true });
  for (const path of readdirSync(docs, { recursive: true, encoding: "utf8" }))
    writePage({ docs, out, home, repository, path });
  for (const { path, title, pages } of readContents(docs).flatMap(({ entries }) => entries))
    if (pages.length) write(join(out, path, "index.md"), listPage(title, pages, path));
}

/** Writes the page of one file of `docs`. Pictures are copied. */
export function writePage({ docs, out, home, repository, path: native }) {
  const path = native.replaceAll("\\", "/");
  const file = join(docs, path);
  if (statSync(file).isDirectory()) return;
  if (!path.endsWith(".md")) return cpSync(file, join(out, path));
  const text = pageText(readFileSync(file, "utf8"), path, repository);
  write(join(out, pagePath(path)), path === "README.md" ? readFileSync(home, "utf8") + text : text);
}

/** VitePress serves the `index.md` of a folder; GitHub shows its `README.md`. */
export const pagePath = (path) => path.replace(/(^|\/)README\.md$/, "$1index.md");

/** The text of a page. `path` is where its source is in `docs`. */
export function pageText(markdown, path, repository) {
  const link = (whole, target) => {
    if (/^([a-z]+:|#)/.test(target)) return whole;
    const [file, anchor] = target.split("#");
    const found = posix.join("docs", posix.dirname(path), file);
    const hash = anchor === undefined ? "" : `#${anchor}`;
    if (target === API) return "](reference/index.md)";
    if (!found.startsWith("docs/")) return `](${repository}/blob/main/${found}${hash})`;
    return `](${file.endsWith("/") ? `${file}index.md` : pagePath(file)}${hash})`;
  };
  return markdown
    .split(CODE)
    .map((part, index) => (index % 2 ? withoutSources(part) : withoutTemplates(part.replace(LINK, link))))
    .join("");
}

/** Pages are Vue templates: text must not look like an expression or a component. */
const withoutTemplates = (markdown) =>
  markdown.replaceAll("{{", "&#123;&#123;").replace(/<(?=[a-z/!](?!\w*:))/gi, "&lt;");

/** Code fences without the name of the file that their code comes from. */
export const withoutSources = (markdown) => markdown.replace(/^(\s*```\w+) source="[^"]*"/gm, "$1");

/** A page that lists the pages of a folder. It has no source of its own. */
function listPage(title, pages, folder) {
  const links = pages.map((page) => `- [${page.title}](${page.path.slice(folder.length)})`);
  return ["---", "editLink: false", "---", "", `# ${title}`, "", ...links, ""].join("\n");
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
