/**
 * The table of contents. `docs/README.md` is its only source: a reader of the repository follows its links, and the site makes its
 * sidebar from them. A link to a folder stands for all pages of that folder.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The sections of `docs/README.md`, with the files that each lists. Paths are relative to `docs`. */
export function readContents(docs) {
  const [, ...sections] = readFileSync(join(docs, "README.md"), "utf8").split(/^## /m);
  return sections.map((section) => {
    const links = [...section.matchAll(/^- \[(.+?)\]\(([^)]+)\)/gm)];
    return {
      title: section.slice(0, section.indexOf("\n")),
      entries: links.map(([, title, path]) => ({
        title: plain(title),
        path,
        pages: path.endsWith("/") && !path.startsWith("../") ? pagesOf(docs, path) : [],
      })),
    };
  });
}

/** The pages of a folder of `docs`, with their titles. */
const pagesOf = (docs, folder) =>
  readdirSync(join(docs, folder))
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((name) => ({ title: titleOf(readFileSync(join(docs, folder, name), "utf8")), path: folder + name }));

/** The first heading, as plain text. */
const titleOf = (markdown) => plain(/^# (.+)$/m.exec(markdown)?.[1] ?? "");

const plain = (markdown) => markdown.replaceAll("`", "");
